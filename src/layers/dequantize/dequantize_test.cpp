// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::LayerCase;

Dequantize along(int64_t axis) {
    Dequantize layer;
    layer.axis = axis;
    return layer;
}

Literal bytes(DataType type, Dims const& dims, std::vector<uint8_t> const& values) {
    return Literal::copyOf(type, dims, values.data());
}

// (x - zero point) * scale
TEST(Dequantize, takesTheZeroPointAwayAndScales) {
    LayerCase{
        .inputs = {Literal::of<uint8_t>({3}, {0, 128, 255}), floats({}, {0.5F}), Literal::of<uint8_t>({1}, {128})},
        .expected = {floats({3}, {-64, 0, 63.5F})}}
        .expect(Dequantize{});
    LayerCase{
        .inputs = {Literal::of<int32_t>({2}, {16777217, 5}), floats({}, {1}), Literal::of<int32_t>({}, {16777216})},
        .expected = {floats({2}, {1, -16777211})},
        .types = {DataType::Float32}}
        .expect(Dequantize{});
}

TEST(Dequantize, hasScalesForEachChannelAndBlock) {
    LayerCase{.inputs = {Literal::of<int8_t>({2, 3}, {1, 2, 3, -1, -2, -3}), floats({2}, {2, 0.5F}),
                         Literal::of<int8_t>({2}, {1, -1})},
              .expected = {floats({2, 3}, {0, 2, 4, 0, -0.5F, -1})}}
        .expect(along(0));
    LayerCase{.inputs = {Literal::of<int8_t>({2, 3}, {1, 2, 3, -1, -2, -3}), floats({3}, {2, 0.5F, 1})},
              .expected = {floats({2, 3}, {2, 1, 3, -2, -1, -3})}}
        .expect(along(1));
    LayerCase{.inputs = {Literal::of<int8_t>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({2, 2}, {1, 2, 10, 20}),
                         Literal::of<int8_t>({2, 2}, {1, 0, 5, 6})},
              .expected = {floats({4, 2}, {0, 4, 2, 8, 0, 0, 20, 40})}}
        .expect(Dequantize{});
}

TEST(Dequantize, readsTypesOfFewBits) {
    LayerCase{.inputs = {bytes(DataType::Int4, {5}, {0x78, 0xf2, 0x03}), floats({}, {2})},
              .expected = {floats({5}, {-16, 14, 4, -2, 6})}}
        .expect(Dequantize{});
    LayerCase{.inputs = {bytes(DataType::Float8, {3}, {0x38, 0x7e, 0xb8}), floats({3}, {1, 2, 3})},
              .expected = {floats({3}, {1, 896, -3})}}
        .expect(Dequantize{});
    LayerCase{.inputs = {bytes(DataType::Float4, {2, 2}, {0x21, 0xf7}), bytes(DataType::E8M0, {2, 1}, {128, 126})},
              .expected = {floats({2, 2}, {1, 2, 3, -3})}}
        .expect(Dequantize{});
}

TEST(Dequantize, givesTheTypeThatIsAsked) {
    Dequantize layer;
    layer.to = DataType::Float16;
    LayerCase{.inputs = {Literal::of<int8_t>({2}, {3, -5}), floats({}, {0.1F})},
              .expected = {Literal::of<Half>({2}, {0.3F, -0.5F})}}
        .expect(layer);
}

TEST(Dequantize, saysWhatDoesNotFit) {
    EXPECT_EQ(inferError(Dequantize{}, {{DataType::Bool, {2}}, {DataType::Float32, {}}}),
              "node (Dequantize): input 0 is bool; expected numbers of 32 bits or less");
    Dequantize whole;
    whole.to = DataType::Int8;
    EXPECT_EQ(inferError(whole, {{DataType::Int8, {2}}, {DataType::Float32, {}}}),
              "node (Dequantize): dequantizes to int8; expected float32, float16 or bfloat16");
    EXPECT_EQ(inferError(Dequantize{}, {{DataType::Int8, {2}}, {DataType::Int8, {}}}),
              "node (Dequantize): input 1 is int8; expected float32, float16 or bfloat16");
}

} // namespace
} // namespace tenon
