// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using enum PointwiseOp;

Unary unary(PointwiseOp op) {
    Unary layer;
    layer.operation = op;
    return layer;
}

void expect(PointwiseOp op, std::vector<float> const& x, std::vector<float> const& y) {
    SCOPED_TRACE(text(op));
    auto const count = static_cast<int64_t>(x.size());
    LayerCase{.inputs = {floats({count}, x)}, .expected = {floats({count}, y)}, .tolerance = 1e-6}.expect(unary(op));
}

// numpy, in float64
TEST(Unary, computesEachFunction) {
    std::vector<float> const x = {-2.5F, -1.5F, -0.5F, 0, 0.5F, 1.5F, 2.5F};
    expect(Exp, x, {0.082084999F, 0.22313016F, 0.60653066F, 1, 1.6487213F, 4.4816891F, 12.182494F});
    expect(Abs, x, {2.5F, 1.5F, 0.5F, 0, 0.5F, 1.5F, 2.5F});
    expect(Neg, x, {2.5F, 1.5F, 0.5F, 0, -0.5F, -1.5F, -2.5F});
    expect(Sin, x, {-0.59847214F, -0.99749499F, -0.47942554F, 0, 0.47942554F, 0.99749499F, 0.59847214F});
    expect(Cos, x, {-0.80114362F, 0.070737202F, 0.87758256F, 1, 0.87758256F, 0.070737202F, -0.80114362F});
    expect(Tan, x, {0.7470223F, -14.10142F, -0.54630249F, 0, 0.54630249F, 14.10142F, -0.7470223F});
    expect(Sinh, x, {-6.0502045F, -2.1292795F, -0.52109531F, 0, 0.52109531F, 2.1292795F, 6.0502045F});
    expect(Cosh, x, {6.1322895F, 2.3524096F, 1.127626F, 1, 1.127626F, 2.3524096F, 6.1322895F});
    expect(Atan, x, {-1.1902899F, -0.98279372F, -0.46364761F, 0, 0.46364761F, 0.98279372F, 1.1902899F});
    expect(Asinh, x, {-1.6472311F, -1.1947632F, -0.48121183F, 0, 0.48121183F, 1.1947632F, 1.6472311F});
    expect(Ceil, x, {-2, -1, 0, 0, 1, 2, 3});
    expect(Floor, x, {-3, -2, -1, 0, 0, 1, 2});
    expect(Sign, x, {-1, -1, -1, 0, 1, 1, 1});
    expect(Round, x, {-2, -2, 0, 0, 0, 2, 2});
    expect(Erf, x, {-0.99959305F, -0.96610515F, -0.52049988F, 0, 0.52049988F, 0.96610515F, 0.99959305F});
}

TEST(Unary, computesFunctionsOfASmallerDomain) {
    expect(Log, {0.25F, 0.5F, 1, 4, 100}, {-1.3862944F, -0.69314718F, 0, 1.3862944F, 4.6051702F});
    expect(Sqrt, {0.25F, 0.5F, 1, 4, 100}, {0.5F, 0.70710678F, 1, 2, 10});
    expect(Recip, {0.25F, 0.5F, 1, 4, 100}, {4, 2, 1, 0.25F, 0.01F});
    expect(Asin, {-1, -0.5F, 0, 0.25F, 1}, {-1.5707963F, -0.52359878F, 0, 0.25268026F, 1.5707963F});
    expect(Acos, {-1, -0.5F, 0, 0.25F, 1}, {3.1415927F, 2.0943951F, 1.5707963F, 1.3181161F, 0});
    expect(Atanh, {-0.5F, 0, 0.25F}, {-0.54930614F, 0, 0.25541281F});
    expect(Acosh, {1, 1.5F, 10}, {0, 0.96242365F, 2.9932228F});
}

TEST(Unary, givesWhatTheStandardSaysAtTheEdges) {
    expect(Log, {0, -1, INFINITY}, {-INFINITY, NAN, INFINITY});
    expect(Exp, {-INFINITY, 89, -110, INFINITY}, {0, INFINITY, 0, INFINITY});
    expect(Sqrt, {-1}, {NAN});
    expect(Recip, {0, INFINITY}, {INFINITY, 0});
    expect(Sign, {NAN}, {NAN});
}

TEST(Unary, tellsInfinitiesAndWhatIsNotANumber) {
    auto const x = floats({4}, {1, -INFINITY, NAN, INFINITY});
    LayerCase{.inputs = {x}, .expected = {Literal::copyOf(DataType::Bool, {4}, "\0\1\0\1")}}.expect(unary(IsInf));
    LayerCase{.inputs = {x}, .expected = {Literal::copyOf(DataType::Bool, {4}, "\0\0\1\0")}}.expect(unary(IsNan));
}

TEST(Unary, takesIntegersAndBooleans) {
    auto const x = test::ints({3}, {-4, 0, 5});
    LayerCase{.inputs = {x}, .expected = {test::ints({3}, {4, 0, 5})}}.expect(unary(Abs));
    LayerCase{.inputs = {x}, .expected = {test::ints({3}, {4, 0, -5})}}.expect(unary(Neg));
    LayerCase{.inputs = {x}, .expected = {test::ints({3}, {-1, 0, 1})}}.expect(unary(Sign));
    auto const bytes = Literal::of<int8_t>({3}, {-128, 0, 5}); // numpy
    LayerCase{.inputs = {bytes}, .expected = {Literal::of<int8_t>({3}, {-128, 0, 5})}}.expect(unary(Abs));
    LayerCase{.inputs = {bytes}, .expected = {Literal::of<int8_t>({3}, {-128, 0, -5})}}.expect(unary(Neg));
    LayerCase{.inputs = {bytes}, .expected = {Literal::of<int8_t>({3}, {-1, 0, 1})}}.expect(unary(Sign));
    auto const unsignedBytes = Literal::of<uint8_t>({3}, {255, 0, 5});
    LayerCase{.inputs = {unsignedBytes}, .expected = {unsignedBytes}}.expect(unary(Abs));
    LayerCase{.inputs = {unsignedBytes}, .expected = {Literal::of<uint8_t>({3}, {1, 0, 1})}}.expect(unary(Sign));
    LayerCase{.inputs = {Literal::of<int8_t>({2}, {-128, 7})}, .expected = {Literal::of<int8_t>({2}, {-128, -7})}}
        .expect(unary(Neg)); // wraps around, as in numpy
    LayerCase{.inputs = {Literal::copyOf(DataType::Bool, {2}, "\0\1")},
              .expected = {Literal::copyOf(DataType::Bool, {2}, "\1\0")}}
        .expect(unary(Not));
}

TEST(Unary, tellsTheValuesOfShapeTensors) {
    Operand known{.type = DataType::Int64, .shape = {2}, .values = Shape{3, DimExpr::symbol("N")}};
    auto const result = unary(Neg).infer({{known}, "node"});
    ASSERT_TRUE(result[0].values);
    EXPECT_EQ(text(*result[0].values), "[-3,(0-N)]");
}

TEST(Unary, refusesTypes) {
    EXPECT_EQ(test::inferError(unary(Not), {{DataType::Float32, {2}}}),
              "node (Unary): input 0 is float32; Not expects bool");
    EXPECT_EQ(test::inferError(unary(Exp), {{DataType::Int32, {2}}}),
              "node (Unary): input 0 is int32; expected float32, float16 or bfloat16");
    EXPECT_EQ(test::inferError(unary(Affine), {{DataType::Float32, {2}}}),
              "node (Unary): Affine is not an operation on one operand");
}

} // namespace
} // namespace tenon
