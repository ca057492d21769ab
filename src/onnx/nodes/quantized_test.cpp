// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

// Operators on quantized tensors; values are the formulas of ONNX, worked out by hand.

namespace tenon {
namespace {

using test::OnnxNodeCase;
using Integers = std::vector<int64_t>;

TEST(QuantizedOnnx, hasZeroPointsOfRowsAndColumns) {
    auto const y = OnnxNodeCase("MatMulInteger", 10)
                       .input(Literal::of<uint8_t>({2, 2}, {1, 2, 3, 4}))
                       .input(Literal::of<int8_t>({2, 2}, {1, 2, 3, 4}))
                       .input(Literal::of<uint8_t>({2}, {1, 3}))
                       .input(Literal::of<int8_t>({2}, {0, 2}))
                       .run()[0];
    EXPECT_EQ(y.type(), DataType::Int32);
    EXPECT_EQ(y.toInt64(), (Integers{3, 2, 3, 2})); // [[0,1],[0,1]] [[1,0],[3,2]]
}

TEST(QuantizedOnnx, isExactBeyondFloat32) {
    constexpr int64_t kTerms = 1001; // 65025001: 255 * 255 * 1000 and 1
    std::vector<uint8_t> x(kTerms, 255);
    x.back() = 1;
    auto const y = OnnxNodeCase("MatMulInteger", 10)
                       .input(Literal::of<uint8_t>({1, kTerms}, x))
                       .input(Literal::of<uint8_t>({kTerms, 1}, x))
                       .run()[0];
    EXPECT_EQ(y.toInt64(), Integers{65025001});
}

TEST(QuantizedOnnx, hasScalesOfRowsAndColumns) {
    auto const y = OnnxNodeCase("QLinearMatMul", 21)
                       .input(Literal::of<int8_t>({2, 1}, {2, 4}))
                       .input(Literal::of<float>({2}, {1, 0.5F}))
                       .input(Literal::of<int8_t>({2}, {0, 1}))
                       .input(Literal::of<int8_t>({1, 2}, {3, 5}))
                       .input(Literal::of<float>({2}, {1, 2}))
                       .input(Literal::of<int8_t>({2}, {0, 0}))
                       .input(Literal::scalar(0.5F))
                       .input(Literal::scalar(int8_t{1}))
                       .run()[0];
    EXPECT_EQ(y.toInt64(), (Integers{13, 41, 10, 31})); // 6 10 9 15, times 1 2 0.5 1, over 0.5, plus 1
}

TEST(QuantizedOnnx, multipliesFloatsOf8Bits) {
    auto const float8 = [](Dims const& dims, std::string const& bits) {
        return Literal::copyOf(DataType::Float8, dims, bits.data());
    };
    auto const y = OnnxNodeCase("QLinearMatMul", 21)
                       .input(float8({1, 2}, "\x38\x40")) // 1 2
                       .input(Literal::scalar(2.0F))
                       .input(float8({}, std::string(1, '\0')))
                       .input(float8({2, 1}, "\x44\x38")) // 3 1
                       .input(Literal::scalar(1.0F))
                       .input(float8({}, std::string(1, '\0')))
                       .input(Literal::scalar(4.0F))
                       .input(float8({}, std::string(1, '\0')))
                       .run()[0];
    EXPECT_EQ(y.type(), DataType::Float8);
    EXPECT_EQ(y.toFloat(), std::vector<float>{2.5F}); // (3 + 2) * 2 / 4
}

TEST(QuantizedOnnx, convolvesWithScalesAndBiasOfChannels) {
    auto const y = OnnxNodeCase("QLinearConv", 10)
                       .input(Literal::of<uint8_t>({1, 1, 1, 2}, {3, 5}))
                       .input(Literal::scalar(0.5F))
                       .input(Literal::scalar(uint8_t{1}))
                       .input(Literal::of<int8_t>({2, 1, 1, 1}, {2, -3}))
                       .input(Literal::of<float>({2}, {1, 2}))
                       .input(Literal::of<int8_t>({2}, {0, 0}))
                       .input(Literal::scalar(0.5F))
                       .input(Literal::scalar(uint8_t{100}))
                       .input(Literal::of<int32_t>({2}, {10, -1}))
                       .run()[0];
    EXPECT_EQ(y.toInt64(), (Integers{114, 118, 86, 74})); // 4+10 8+10, -6-1 -12-1, times 0.5 and 1, over 0.5, plus 100
}

} // namespace
} // namespace tenon
