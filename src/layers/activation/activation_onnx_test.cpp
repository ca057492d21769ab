// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

Literal const kX = Literal::of<float>({4}, {-8, -1, 1, 8});
Literal number(float value) { return Literal::scalar(value); }

TEST(ActivationOnnx, clipsByAttributesUntilOpset10) {
    EXPECT_EQ(numbersOf(OnnxNodeCase("Clip", 6).real("min", -2).real("max", 3).input(kX).run()[0]),
              (Numbers{-2, -1, 1, 3}));
    EXPECT_EQ(numbersOf(OnnxNodeCase("Clip", 6).real("max", 3).input(kX).run()[0]), (Numbers{-8, -1, 1, 3}));
}

TEST(ActivationOnnx, clipsByConstantsByWhatIsComputedAndByNothing) {
    EXPECT_EQ(numbersOf(OnnxNodeCase("Clip", 12).input(kX).constant(number(-2)).input(number(3)).run()[0]),
              (Numbers{-2, -1, 1, 3}));
    EXPECT_EQ(numbersOf(OnnxNodeCase("Clip", 12).input(kX).absent().constant(number(3)).run()[0]),
              (Numbers{-8, -1, 1, 3}));
    EXPECT_EQ(numbersOf(OnnxNodeCase("Clip", 12).input(kX).run()[0]), numbersOf(kX));
    EXPECT_EQ(OnnxNodeCase("Clip", 12).input(kX).constant(Literal::of<float>({2}, {1, 2})).error(),
              "node (Clip, opset 12, node 0): input 1 (min) has shape [2]; expected a scalar");
}

TEST(ActivationOnnx, clipsIntegersExactly) { // 2^53 + 1 is not a double
    int64_t const big = (int64_t{1} << 53) + 1;
    Literal const x = Literal::of<int64_t>({2}, {0, INT64_MAX});
    auto const y = OnnxNodeCase("Clip", 12).input(x).absent().constant(Literal::scalar(big)).run()[0];
    EXPECT_EQ(y.toInt64(), (std::vector<int64_t>{0, big}));
}

TEST(ActivationOnnx, refusesApproximationsThatItDoesNotKnow) {
    EXPECT_EQ(OnnxNodeCase("Gelu", 20).string("approximate", "sigmoid").input(kX).error(),
              "node (Gelu, opset 20, node 0): attribute approximate is \"sigmoid\"; expected none or tanh");
}

} // namespace
} // namespace tenon
