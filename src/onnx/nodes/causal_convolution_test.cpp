// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

TEST(CausalConvolutionOnnx, refusesWhatItIsNot) {
    Literal const x = Literal::of<float>({1, 1, 2}, {1, 2});
    Literal const weights = Literal::of<float>({1, 1, 1}, {3});
    EXPECT_EQ(OnnxNodeCase("CausalConvWithState", 27, 2).string("activation", "relu").input(x).input(weights).error(),
              "node (CausalConvWithState, opset 27, node 0): activation is \"relu\"; expected none, silu or swish");
    EXPECT_EQ(OnnxNodeCase("CausalConvWithState", 27, 2).input(x).input(Literal::of<float>({1, 1}, {3})).error(),
              "node (CausalConvWithState, opset 27, node 0): input 0 has shape [1,1,2] and input 1 [1,1]; expected "
              "[N,C,L] and [C,1,k]");
}

TEST(CausalConvolutionOnnx, carriesNoStateOfOneWeight) {
    auto const result = OnnxNodeCase("CausalConvWithState", 27, 2)
                            .input(Literal::of<float>({1, 1, 2}, {1, 2}))
                            .input(Literal::of<float>({1, 1, 1}, {3}))
                            .run();
    EXPECT_EQ(numbersOf(result[0]), (Numbers{3, 6}));
    EXPECT_EQ(result[1].dims(), Dims({1, 1, 0}));
}

} // namespace
} // namespace tenon
