// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/bit_cast/bit_cast.h"

#include "support/layer_case.h"
#include "support/onnx_node_case.h"

namespace tenon {
namespace {

using test::OnnxNodeCase;

TEST(BitCast, keepsTheBits) { // IEEE 754
    BitCast layer;
    layer.to = DataType::Int32;
    test::LayerCase{.inputs = {test::floats({3}, {1, -2, 0})},
                    .expected = {Literal::of<int32_t>({3}, {0x3f800000, INT32_MIN + 0x40000000, 0})},
                    .types = {DataType::Float32}}
        .expect(layer);
    layer.to = DataType::Float8;
    test::LayerCase{.inputs = {Literal::of<uint8_t>({2}, {0x38, 0x7e})},
                    .expected = {Literal::copyOf(DataType::Float8, {2}, "\x38\x7e")}}
        .expect(layer);
}

TEST(BitCast, makesNoBools) {
    BitCast layer;
    layer.to = DataType::Bool;
    EXPECT_EQ(test::inferError(layer, {{DataType::UInt8, {2}}}),
              "node (BitCast): bits other than 0 and 1 are not a bool; use a cast, which compares with 0");
    auto const y = OnnxNodeCase("BitCast", 26).integer("to", 9).input(Literal::of<uint8_t>({3}, {0, 2, 255})).run()[0];
    EXPECT_EQ(y.toInt64(), (std::vector<int64_t>{0, 1, 1})); // numpy: x.view(bool)
}

TEST(BitCast, needsATypeOfAsManyBits) {
    EXPECT_EQ(test::inferError(BitCast{}, {{DataType::Int64, {2}}}),
              "node (BitCast): input 0 is int64, of 64 bits, and float32 has 32; expected the same width");
}

std::string errorTo(int64_t type, Literal const& x) {
    return OnnxNodeCase("BitCast", 26).integer("to", type).input(x).error();
}

TEST(BitCastOnnx, wrapsIntegersOfOneWidthAround) {
    auto const y = OnnxNodeCase("BitCast", 26).integer("to", 12).input(Literal::of<int32_t>({2}, {-1, 5})).run()[0];
    EXPECT_EQ(y.toInt64(), (std::vector<int64_t>{4294967295, 5})); // uint32
}

TEST(BitCastOnnx, refusesBitsThatTheGraphDoesNotHave) {
    EXPECT_EQ(errorTo(11, Literal::of<int64_t>({1}, {1})), "node (BitCast, opset 26, node 0): the bits of float64 are "
                                                           "not available, since it is stored as float32; use Cast");
    EXPECT_EQ(errorTo(1, Literal::of<int64_t>({1}, {1})), "node (BitCast, opset 26, node 0): input 0 is int64 of 64 "
                                                          "bits, and to is float32 of 32; expected the same width");
}

} // namespace
} // namespace tenon
