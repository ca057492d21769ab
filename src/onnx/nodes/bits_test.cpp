// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::OnnxNodeCase;

enum { kUInt16 = 4, kInt16 = 5, kDouble = 11, kUInt32 = 12, kUInt64 = 13 }; // of TensorProto.DataType

Literal inverted(Literal const& x, int onnxType) { return OnnxNodeCase("BitwiseNot", 18).input(x, onnxType).run()[0]; }
Literal shiftedLeft(Literal const& x, Literal const& bits, int onnxType) {
    return OnnxNodeCase("BitShift", 28).string("direction", "LEFT").input(x, onnxType).input(bits, onnxType).run()[0];
}

TEST(BitsOnnx, keepTheWidthThatIntegersHaveInTheFile) { // numpy: ~x and x << n
    Literal const narrow = Literal::of<int32_t>({2}, {62501, 0});
    EXPECT_EQ(inverted(narrow, kUInt16), Literal::of<int32_t>({2}, {3034, 65535}));
    EXPECT_EQ(inverted(narrow, kInt16), Literal::of<int32_t>({2}, {-62502, -1}));
    EXPECT_EQ(inverted(Literal::of<int64_t>({2}, {0xF0000001, 1}), kUInt32),
              Literal::of<int64_t>({2}, {0x0FFFFFFE, 0xFFFFFFFE}));
    Literal const bits = Literal::of<int32_t>({2}, {4, 15});
    EXPECT_EQ(shiftedLeft(narrow, bits, kUInt16), Literal::of<int32_t>({2}, {16976, 0}));
    EXPECT_EQ(shiftedLeft(Literal::of<int32_t>({2}, {0x0FFF, 1}), bits, kInt16),
              Literal::of<int32_t>({2}, {-16, -32768}));
}

TEST(BitsOnnx, mayBeAllOfTheWidth) {
    EXPECT_EQ(inverted(Literal::of<int64_t>({2}, {5, 0}), kUInt64), Literal::of<int64_t>({2}, {-6, -1}));
}

TEST(BitsOnnx, refuseFloats) { // doubles are 64 bits wide only in the file
    EXPECT_EQ(OnnxNodeCase("BitwiseNot", 18).input(Literal::of<float>({1}, {1}), kDouble).error(),
              "node (BitwiseNot, opset 18, node 0): BitXor of float32; expected integers (add a cast)");
}

TEST(BitsOnnx, refuseADirectionThatIsNone) {
    Literal const x = Literal::of<uint8_t>({1}, {1});
    EXPECT_EQ(OnnxNodeCase("BitShift", 11).string("direction", "UP").input(x).input(x).error(),
              "node (BitShift, opset 11, node 0): direction is \"UP\"; expected LEFT or RIGHT");
}

} // namespace
} // namespace tenon
