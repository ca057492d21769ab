// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "layers/elementwise/elementwise.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

/// condition ? a + a : b · b
Conditional choice() {
    Conditional layer;
    Tensor* const a = layer.thenBody.addInput("a", DataType::Float32, {DimExpr::symbol("n")});
    layer.thenBody.markOutput(layer.thenBody.emit(elementwise(PointwiseOp::Sum), {a, a}, "sum"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {DimExpr::symbol("n")});
    layer.elseBody.markOutput(layer.elseBody.emit(elementwise(PointwiseOp::Prod), {b, b}, "product"));
    return layer;
}

Literal const kA = test::floats({2}, {1, 10});
Literal const kB = test::floats({2}, {3, 30});

TEST(Conditional, takesTheBranchThatItsConditionSays) {
    test::LayerCase{.inputs = {Literal::scalar(true), kA, kB},
                    .expected = {test::floats({2}, {2, 20})},
                    .types = {DataType::Float32}}
        .expect(choice());
    test::LayerCase{.inputs = {Literal::scalar(false), kA, kB},
                    .expected = {test::floats({2}, {9, 900})},
                    .types = {DataType::Float32}}
        .expect(choice());
}

TEST(Conditional, refusesWhatDoesNotFit) {
    test::Input const condition{DataType::Bool, {}};
    test::Input const two{DataType::Float32, {2}};
    EXPECT_EQ(test::inferError(choice(), {condition, two}), "node (If): has 2 inputs; expected 3");
    EXPECT_EQ(test::inferError(choice(), {two, two, two}),
              "node (If): the condition, input 0, has shape [2]; expected one element");
    EXPECT_EQ(test::inferError(choice(), {{DataType::Int32, {}}, two, two}),
              "node (If): the condition, input 0, is int32; expected bool (add a cast)");
    EXPECT_EQ(test::inferError(choice(), {condition, two, {DataType::Float32, {3}}}),
              "node (If): output 0 is [2] of the first branch and [3] of the second, which is not said of axis 0");
    Conditional wrong = choice();
    wrong.openOutputs = {1};
    wrong.openAxes = {0};
    EXPECT_EQ(test::inferError(wrong, {condition, two, two}),
              "node (If): extents are said to differ that it does not have");
    wrong = choice();
    wrong.elseBody.markOutput(wrong.elseBody.inputs()[0]);
    EXPECT_EQ(test::inferError(wrong, {condition, two, two}),
              "node (If): its branches have 1 and 2 outputs; they must have as many");
}

} // namespace
} // namespace tenon
