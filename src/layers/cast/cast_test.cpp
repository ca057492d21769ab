// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Cast to(DataType type) {
    Cast layer;
    layer.to = type;
    return layer;
}

TEST(Cast, cutsOffTowardsZero) {
    LayerCase{.inputs = {floats({4}, {-1.9F, -0.5F, 0.5F, 1.9F})}, .expected = {ints({4}, {-1, 0, 0, 1})}}.expect(
        to(DataType::Int64));
}

TEST(Cast, staysInRange) { // the limits of the types
    auto const x = floats({3}, {1e30F, -1e30F, NAN});
    LayerCase{.inputs = {x}, .expected = {Literal::of<int32_t>({3}, {INT32_MAX, INT32_MIN, 0})}}.expect(
        to(DataType::Int32));
    LayerCase{.inputs = {x}, .expected = {Literal::of<uint8_t>({3}, {255, 0, 0})}}.expect(to(DataType::UInt8));
    LayerCase{.inputs = {x}, .expected = {ints({3}, {INT64_MAX, INT64_MIN, 0})}}.expect(to(DataType::Int64));
}

TEST(Cast, roundsToNarrowerFloats) { // IEEE 754: 2049 is halfway between 2048 and 2050; ties to even
    LayerCase{.inputs = {floats({3}, {2049, 2051, 70000})},
              .expected = {Literal::of<Half>({3}, {2048, 2052, INFINITY})}}
        .expect(to(DataType::Float16));
    LayerCase{.inputs = {Literal::of<BFloat16>({1}, {1.5F})}, .expected = {floats({1}, {1.5F})}}.expect(
        to(DataType::Float32));
    LayerCase{.inputs = {Literal::of<Half>({1}, {-2.5F})}, .expected = {Literal::of<int8_t>({1}, {-2})}}.expect(
        to(DataType::Int8));
}

TEST(Cast, wrapsIntegersAround) {
    LayerCase{.inputs = {ints({3}, {257, -1, (int64_t{1} << 32) + 5})},
              .expected = {Literal::of<uint8_t>({3}, {1, 255, 5})}}
        .expect(to(DataType::UInt8));
    LayerCase{.inputs = {ints({1}, {(int64_t{1} << 32) + 5})}, .expected = {Literal::of<int32_t>({1}, {5})}}.expect(
        to(DataType::Int32));
}

TEST(Cast, knowsTruth) {
    LayerCase{.inputs = {floats({4}, {0, -0.0F, 0.25F, NAN})},
              .expected = {Literal::copyOf(DataType::Bool, {4}, "\0\0\1\1")}}
        .expect(to(DataType::Bool));
    LayerCase{.inputs = {Literal::copyOf(DataType::Bool, {2}, "\0\1")}, .expected = {floats({2}, {0, 1})}}.expect(
        to(DataType::Float32));
}

TEST(Cast, tellsTheValuesOfShapeTensors) {
    Operand const dims{.type = DataType::Int64, .shape = {2}, .values = Shape{DimExpr::symbol("N"), 0}};
    EXPECT_EQ(text(*to(DataType::Int32).infer({{dims}, "node"})[0].values), "[N,0]");
    EXPECT_EQ(text(*to(DataType::Bool).infer({{dims}, "node"})[0].values), "[((N==0)==0),0]");
    EXPECT_FALSE(to(DataType::Float32).infer({{dims}, "node"})[0].values);
}

// the numbers of the formats' specifications; 464 is between 448 and the NaN
TEST(Cast, roundsToSmallFloats) {
    LayerCase{.inputs = {floats({5}, {1, 1.0625F, -500, 464, 0.25F})},
              .expected = {Literal::copyOf(DataType::Float8, {5}, "\x38\x38\xfe\x7e\x28")}}
        .expect(to(DataType::Float8));
    LayerCase{.inputs = {floats({3}, {2.5F, -7, 0.5F})},
              .expected = {Literal::copyOf(DataType::Float4, {3}, "\xf4\x01")}}
        .expect(to(DataType::Float4));
    LayerCase{.inputs = {floats({3}, {1, 5, 0.125F})},
              .expected = {Literal::copyOf(DataType::E8M0, {3}, "\x7f\x82\x7c")}}
        .expect(to(DataType::E8M0));
    LayerCase{.inputs = {Literal::copyOf(DataType::Float8, {3}, "\x38\xfe\x01")},
              .expected = {floats({3}, {1, -448, 1 / 512.0F})}}
        .expect(to(DataType::Float32));
    LayerCase{.inputs = {Literal::copyOf(DataType::Float4, {2}, "\xf3")},
              .expected = {Literal::of<int8_t>({2}, {1, -6})}}
        .expect(to(DataType::Int8));
}

TEST(Cast, keepsTheLowestFourBits) {
    LayerCase{.inputs = {ints({3}, {7, -1, 24})}, .expected = {Literal::copyOf(DataType::Int4, {3}, "\xf7\x08")}}
        .expect(to(DataType::Int4));
    LayerCase{.inputs = {Literal::copyOf(DataType::Int4, {3}, "\xf7\x08")},
              .expected = {Literal::of<uint8_t>({3}, {7, 255, 248})}}
        .expect(to(DataType::UInt8));
}

} // namespace
} // namespace tenon
