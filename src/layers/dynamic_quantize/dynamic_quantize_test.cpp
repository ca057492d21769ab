// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dynamic_quantize/dynamic_quantize.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::LayerCase;

Literal bytes(DataType type, Dims const& dims, std::vector<uint8_t> const& values) {
    return Literal::copyOf(type, dims, values.data());
}

// scale = largest |x| / 6 (of float4) or / 448 (of float8); y = x / scale, rounded; by hand
TEST(DynamicQuantize, findsTheScaleOfEachBlock) {
    DynamicQuantize layer;
    layer.blockSize = 2;
    layer.scaleType = DataType::Float32;
    LayerCase{.inputs = {floats({2, 3}, {6, -3, 12, 0, 0, 1})},
              .expected = {bytes(DataType::Float4, {2, 3}, {0xd7, 0x07, 0x70}), // 6 -3 | 6, 0 0 | 6
                           floats({2, 2}, {1, 2, 0, 1 / 6.0F})}}
        .expect(layer);
}

TEST(DynamicQuantize, roundsTheScalesUpToPowersOfTwo) {
    DynamicQuantize layer;
    layer.to = DataType::Float8;
    layer.scaleType = DataType::E8M0;
    layer.blockSize = 4;
    LayerCase{.inputs = {floats({4}, {896, 1, -448, 3})}, // 896 / 448 = 2
              .expected = {bytes(DataType::Float8, {4}, {0x7e, 0x30, 0xf6, 0x3c}), bytes(DataType::E8M0, {1}, {128})}}
        .expect(layer);
    LayerCase{.inputs = {floats({4}, {900, 4, 0, -8})}, // 900 / 448 = 2.009: 4
              .expected = {bytes(DataType::Float8, {4}, {0x76, 0x38, 0x00, 0xc0}), bytes(DataType::E8M0, {1}, {129})}}
        .expect(layer);
}

TEST(DynamicQuantize, quantizesTheScalesToo) {
    DynamicQuantize layer;
    layer.blocks = {2, 2};
    LayerCase{.inputs = {floats({2, 2}, {12, 3, -6, 0}), floats({}, {0.5F})}, // 12 / 6 / 0.5 = 4
              .expected = {bytes(DataType::Float4, {2, 2}, {0x37, 0x0d}), bytes(DataType::Float8, {1, 1}, {0x48})}}
        .expect(layer);
}

TEST(DynamicQuantize, saysWhatDoesNotFit) {
    DynamicQuantize layer;
    layer.blocks = {2};
    EXPECT_EQ(inferError(layer, {{DataType::Float32, {2, 2}}}),
              "node (DynamicQuantize): blocks of [2] for input 0 [2,2]; expected a number of elements, 1 or more, for "
              "each axis");
    layer.to = DataType::Int8;
    EXPECT_EQ(inferError(layer, {{DataType::Float32, {2}}}),
              "node (DynamicQuantize): quantizes to int8; expected float8 or float4");
    layer.to = DataType::Float4;
    layer.scaleType = DataType::Int8;
    EXPECT_EQ(inferError(layer, {{DataType::Float32, {2}}}),
              "node (DynamicQuantize): its scales are int8; expected float8, e8m0 or a floating point type");
}

} // namespace
} // namespace tenon
