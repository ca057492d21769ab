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

TEST(Cast, roundsToNarrowerFloats) { // IEEE 754: 2049 lies between the halves 2048 and 2050; even wins
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

TEST(Cast, refusesPackedTypes) {
    EXPECT_EQ(test::inferError(to(DataType::Float8), {{DataType::Float32, {2}}}),
              "node (Cast): casts float32 to float8; float8 cannot be cast (dequantize it)");
}

} // namespace
} // namespace tenon
