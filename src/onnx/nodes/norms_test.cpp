// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

TEST(NormsOnnx, giveZeroForNothingButZeros) {
    Literal const x = Literal::of<float>({2, 2}, {0, 0, 3, -4});
    EXPECT_EQ(numbersOf(OnnxNodeCase("LpNormalization", 22).input(x).run()[0]), (Numbers{0, 0, 0.6F, -0.8F}));
}

TEST(NormsOnnx, refuseANormThatIsNone) {
    EXPECT_EQ(OnnxNodeCase("LpNormalization", 1).integer("p", 3).input(Literal::of<float>({1}, {1})).error(),
              "node (LpNormalization, opset 1, node 0): p is 3; expected 1 or 2");
}

} // namespace
} // namespace tenon
