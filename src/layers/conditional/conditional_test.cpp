// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shuffle/shuffle.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

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

TEST(Conditional, doesNotLookAtTheGraphThatNeverRuns) {
    Literal const isFalse = Literal::scalar(false);
    Operand const condition{.type = DataType::Bool, .shape = {}, .values = {}, .literal = &isFalse};
    Operand const a{.type = DataType::Float32, .shape = {7}, .values = {}};
    Operand const b{.type = DataType::Float32, .shape = {2}, .values = {}};
    auto const results = choice().infer({{condition, a, b}, "node"});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].shape, (Shape{2}));
}

TEST(Conditional, saysInWhichExtentsItsGraphsDiffer) {
    Graph thens;
    thens.markOutput(thens.addInput("a", DataType::Float32, {2, 3}));
    thens.markOutput(thens.addInput("b", DataType::Float32, {DimExpr::symbol("n")}));
    Graph elses;
    elses.markOutput(elses.addInput("a", DataType::Float32, {2, 4}));
    elses.markOutput(elses.addInput("b", DataType::Float32, {DimExpr::symbol("m")}));
    Conditional const layer = Conditional::of(thens, elses);
    EXPECT_EQ(layer.openOutputs, (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(layer.openAxes, (std::vector<int64_t>{1, 0}));
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

/// condition ? what is not 0 in x : x, of x [n]
Graph pickedOrAll() {
    Conditional layer;
    Graph& then = layer.thenBody;
    Tensor* const a = then.addInput("a", DataType::Float32, {DimExpr::symbol("n")});
    Tensor* const places = then.emit(Shuffle::reshaping({-1}), {then.emit(NonZero(), {a}, "places")});
    then.markOutput(then.emit(Gather{}, {a, places}, "picked"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {DimExpr::symbol("n")});
    layer.elseBody.markOutput(layer.elseBody.emit(elementwise(PointwiseOp::Sum), {b, b}, "twice"));
    layer.openOutputs = layer.openAxes = {0};
    Graph graph;
    Tensor* const condition = graph.addInput("condition", DataType::Bool, {});
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* const y =
        graph.add(std::make_unique<Conditional>(std::move(layer)), {condition, x, x}, "choice")->output(0);
    graph.markOutput(graph.emit(elementwise(PointwiseOp::Sum), {y, y}));
    return graph;
}

TEST(Conditional, mayHaveABranchWhoseElementsDecideItsExtents) {
    BuildConfig config;
    config.profiles.emplace_back()["x"] = {{0}, {4}, {8}, {}, {}, {}};
    test::EngineRun engine(pickedOrAll(), config);
    Literal const x = test::floats({4}, {0, 1, 0, 2});
    EXPECT_EQ(engine.run({Literal::scalar(true), x})[0], test::floats({2}, {2, 4}));
    EXPECT_EQ(engine.run({Literal::scalar(false), x})[0], test::floats({4}, {0, 4, 0, 8}));
    EXPECT_EQ(engine.run({Literal::scalar(true), test::floats({2}, {0, 0})})[0], test::floats({0}, {}));
}

} // namespace
} // namespace tenon
