// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"

#include "graph/evaluate.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shuffle/shuffle.h"
#include "plan/build.h"
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

/// condition ? a reshaped to [3] : b
Conditional choiceOfThree() {
    Conditional layer;
    Tensor* const a = layer.thenBody.addInput("a", DataType::Float32, {DimExpr::symbol("n")});
    layer.thenBody.markOutput(layer.thenBody.emit(Shuffle::reshaping({3}), {a}, "three"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {DimExpr::symbol("n")});
    layer.elseBody.markOutput(layer.elseBody.emit(elementwise(PointwiseOp::Prod), {b, b}, "product"));
    layer.openOutputs = layer.openAxes = {0};
    return layer;
}

TEST(Conditional, hasTheShapesOfTheOtherGraphWhereOneCannotRun) {
    Operand const condition{.type = DataType::Bool, .shape = {}, .values = {}};
    auto const vector = [](int64_t n) { return Operand{.type = DataType::Float32, .shape = {n}, .values = {}}; };
    auto const most = [&](Operand const& first, int64_t a, int64_t b) {
        Operands const in({first, vector(a), vector(b)}, "node");
        return OutputSpaces(choiceOfThree(), in).atMost(0);
    };
    EXPECT_EQ(most(condition, 3, 7), (Shape{7}));
    EXPECT_EQ(most(condition, 4, 2), (Shape{2})) << "the first one cannot run";
    Literal const yes = Literal::scalar(true);
    Operand const isTrue{.type = DataType::Bool, .shape = {}, .values = {}, .literal = &yes};
    std::string const why = "its first branch: three (Shuffle): ";
    EXPECT_EQ(test::errorOf([&] { most(isTrue, 4, 2); }).substr(0, why.size()), why);
    Conditional neither = choiceOfThree();
    neither.elseBody = neither.thenBody;
    std::string const both = test::errorOf([&] { neither.infer({{condition, vector(4), vector(4)}, "node"}); });
    std::string const start = "neither branch can run with these shapes: its first branch: three (Shuffle): ";
    EXPECT_EQ(both.substr(0, start.size()), start);
    EXPECT_NE(both.find("; its second branch: three (Shuffle): "), std::string::npos) << both;
}

TEST(Conditional, hasTheExtentsOfTheGraphThatShapesChoose) {
    Conditional layer = choiceOfThree();
    layer.atShapes = true;
    DimExpr const n = DimExpr::symbol("n");
    Operand const condition{
        .type = DataType::Bool, .shape = {}, .values = Shape{DimExpr::apply(DimExpr::Op::Equal, n, 3)}};
    Operand const x{.type = DataType::Float32, .shape = {n}, .values = {}};
    auto const results = layer.infer({{condition, x, x}, "node"});
    ASSERT_EQ(results.size(), 1U) << "no output for an extent";
    auto const extentFor = [&](int64_t value) {
        return results[0].shape[0].substitute([&](std::string const&) { return std::optional<DimExpr>(value); });
    };
    EXPECT_EQ(extentFor(3), DimExpr(3));
    EXPECT_EQ(extentFor(5), DimExpr(5));
    EXPECT_TRUE(layer.sizes({{condition, x, x}, "node"}).empty());
    Operand const unknown{.type = DataType::Bool, .shape = {}, .values = {}};
    EXPECT_EQ(layer.conditionSymbol({{unknown, x, x}, "node"}), "node.condition");
    EXPECT_EQ(layer.conditionSymbol({{condition, x, x}, "node"}), "");
}

TEST(Conditional, hasOneRankWhereEitherGraphMayRun) {
    Conditional layer = choice();
    layer.thenBody.replaceOutput(layer.thenBody.outputs()[0],
                                 layer.thenBody.emit(Shuffle::reshaping({1, 2}), {layer.thenBody.outputs()[0]}));
    Operand const condition{.type = DataType::Bool, .shape = {}, .values = {}};
    Operand const x{.type = DataType::Float32, .shape = {2}, .values = {}};
    EXPECT_EQ(layer.infer({{condition, x, x}, "node"})[0].shape.size(), 1U) << "a profile may decide it yet";
    EXPECT_EQ(test::errorOf([&] {
                  layer.expectOneRank({{condition, x, x}, "node"});
              }),
              "output 0 is float32 [1,2] of the first branch and float32 [2] of the second, and either may run; "
              "expected the same rank: reshape one, or build with profiles whose shapes determine the condition");
    Literal const yes = Literal::scalar(true);
    Operand const isTrue{.type = DataType::Bool, .shape = {}, .values = {}, .literal = &yes};
    EXPECT_NO_THROW(layer.expectOneRank({{isTrue, x, x}, "node"}));
    EXPECT_EQ(layer.infer({{isTrue, x, x}, "node"})[0].shape, (Shape{1, 2}));
}

/// condition ? x reshaped to [3] : x · x, of x [1..8]
Graph threeOrAll() {
    Graph graph;
    Tensor* const condition = graph.addInput("condition", DataType::Bool, {});
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Node* const node = graph.add(std::make_unique<Conditional>(choiceOfThree()), {condition, x, x}, "choice");
    graph.markOutput(node->output(0));
    return graph;
}

TEST(Conditional, isAnErrorOnlyWhereTheGraphThatCannotRunIsTaken) {
    for (int64_t const opt : {3, 4}) { // in the second one the first branch does not run at any point of the profile
        BuildConfig config;
        config.profiles.emplace_back()["x"] = {{2}, {opt}, {8}, {}, {}, {}};
        Plan const plan = build(threeOrAll(), config);
        EXPECT_EQ(plan.nodes.back().bodies.size(), 2U) << "kernels compute both";
        test::EngineRun engine(threeOrAll(), config);
        Literal const four = test::floats({4}, {1, 2, 3, 4});
        EXPECT_EQ(engine.run({Literal::scalar(false), four})[0], test::floats({4}, {1, 4, 9, 16}));
        EXPECT_EQ(engine.run({Literal::scalar(true), test::floats({3}, {1, 2, 3})})[0], test::floats({3}, {1, 2, 3}));
        std::string const why = "choice (If): its first branch: three (Shuffle): ";
        EXPECT_EQ(test::errorOf([&] { engine.run({Literal::scalar(true), four}); }).substr(0, why.size()), why);
        EXPECT_EQ(engine.run({Literal::scalar(false), four})[0], test::floats({4}, {1, 4, 9, 16}));
    }
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
    EXPECT_EQ(
        test::inferError(choice(), {condition, two, {DataType::Float32, {3}}}),
        "node (If): output 0 is [2] of the first branch and [3] of the second, but these differ at the fixed axis 0");
    Conditional wrong = choice();
    wrong.openOutputs = {1};
    wrong.openAxes = {0};
    EXPECT_EQ(test::inferError(wrong, {condition, two, two}),
              "node (If): its list of open extents names outputs or axes that do not exist");
    wrong = choice();
    wrong.elseBody.markOutput(wrong.elseBody.inputs()[0]);
    EXPECT_EQ(test::inferError(wrong, {condition, two, two}),
              "node (If): its branches have 1 and 2 outputs; expected the same number");
}

/// condition ? the indices of nonzero elements of x : x, of x [n]
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
