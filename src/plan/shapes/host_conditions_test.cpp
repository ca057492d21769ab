// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/host_conditions.h"

#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/fill/fill.h"
#include "layers/gather/gather.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shape/shape.h"
#include "plan/build.h"
#include "plan/shapes/host_tensors.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

#include <algorithm>

namespace tenon {
namespace {

Conditional sumOrProduct() {
    Conditional layer;
    Tensor* const a = layer.thenBody.addInput("a", DataType::Float32, {DimExpr::symbol("n")});
    layer.thenBody.markOutput(layer.thenBody.emit(elementwise(PointwiseOp::Sum), {a, a}, "sum"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {DimExpr::symbol("n")});
    layer.elseBody.markOutput(layer.elseBody.emit(elementwise(PointwiseOp::Prod), {b, b}, "product"));
    return layer;
}

/// x [n] with an If whose condition is made by `conditionOf`: twice x, or its squares.
template <class ConditionOf> Graph branching(ConditionOf const& conditionOf) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* const condition = conditionOf(graph, x);
    Node* const node = graph.add(std::make_unique<Conditional>(sumOrProduct()), {condition, x, x}, "choice");
    graph.markOutput(node->output(0));
    return graph;
}

Tensor* equals(Graph& graph, Tensor* number, int64_t value) {
    Tensor* const constant = graph.emit(Constant(test::ints({1}, {value})), {});
    return graph.emit(elementwise(PointwiseOp::Equal), {number, constant}, "equals");
}

Tensor* hasThree(Graph& graph, Tensor* x) { return equals(graph, graph.emit(ShapeOf(), {x}, "shape"), 3); }

bool settles(Graph graph) {
    markHostTensors(graph);
    return settleConditions(graph);
}

TEST(HostConditions, areThoseThatShapesDecide) {
    EXPECT_TRUE(settles(branching(hasThree)));
    EXPECT_FALSE(settles(branching([](Graph& graph, Tensor*) {
        return graph.addInput("condition", DataType::Bool, {1}); // read at run time
    })));
    EXPECT_FALSE(settles(branching([](Graph& graph, Tensor* x) {
        Tensor* const found = graph.emit(NonZero(), {x}, "found"); // [1, count]
        Gather last;
        Tensor* const one = graph.emit(Constant(test::ints({1}, {1})), {});
        return equals(graph, graph.emit(last, {graph.emit(ShapeOf(), {found}), one}), 3);
    }))) << "data decide that shape";
    EXPECT_FALSE(settles(branching([](Graph& graph, Tensor*) {
        Fill random;
        random.operation = Fill::Operation::RandomUniform;
        random.dims = {1};
        Tensor* const half = graph.emit(Constant(test::floats({1}, {0.5})), {});
        return graph.emit(elementwise(PointwiseOp::Less), {graph.emit(random, {}), half});
    }))) << "it is another one in each run";
}

BuildConfig withProfile(int64_t least, int64_t opt, int64_t most) {
    BuildConfig config;
    config.profiles.emplace_back()["x"] = {{least}, {opt}, {most}, {}, {}, {}};
    return config;
}

bool branches(Plan const& plan) {
    return std::ranges::any_of(plan.graph.nodes(), [](auto const& node) { return node->kind() == Conditional::kKind; });
}

TEST(HostConditions, areConstantsWhereAllShapesOfTheProfilesDecideAlike) {
    EXPECT_TRUE(branches(build(branching(hasThree), withProfile(1, 4, 8))));
    EXPECT_FALSE(branches(build(branching(hasThree), withProfile(4, 5, 8))));
    BuildConfig two = withProfile(4, 5, 8);
    two.profiles.push_back(withProfile(1, 1, 2).profiles[0]); // neither has 3, which is between the two
    EXPECT_TRUE(branches(build(branching(hasThree), two)));
    test::EngineRun never(branching(hasThree), withProfile(4, 5, 8));
    EXPECT_EQ(never.run({test::floats({4}, {1, 2, 3, 4})})[0], test::floats({4}, {1, 4, 9, 16}));
}

TEST(HostConditions, areKnownWhenShapesAreSet) {
    Plan const plan = build(branching(hasThree), withProfile(1, 4, 8));
    auto const& node =
        *std::ranges::find_if(plan.graph.nodes(), [](auto const& one) { return one->kind() == Conditional::kKind; });
    EXPECT_TRUE(node->input(0)->onHost);
    EXPECT_EQ(node->outputs().size(), 1U);
    test::EngineRun run(branching(hasThree), withProfile(1, 4, 8));
    EXPECT_EQ(run.run({test::floats({3}, {1, 2, 3})})[0], test::floats({3}, {2, 4, 6}));
    EXPECT_EQ(run.run({test::floats({2}, {3, 4})})[0], test::floats({2}, {9, 16}));
}

} // namespace
} // namespace tenon
