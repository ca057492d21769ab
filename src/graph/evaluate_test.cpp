// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/evaluate.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/dist_collective/dist_collective.h"
#include "layers/expand/expand.h"
#include "layers/fill/fill.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

Fill draw(bool seeded) {
    Fill layer;
    layer.operation = Fill::Operation::RandomUniform;
    layer.dims = {4};
    layer.seeded = seeded;
    return layer;
}

/// int64 [4], made from random numbers.
Tensor* integers(Graph& graph, bool seeded) {
    Cast cast;
    cast.to = DataType::Int64;
    return graph.emit(cast, {graph.emit(draw(seeded), {})});
}

TEST(ConstantValue, isNoneOfWhatVaries) {
    Graph graph;
    EXPECT_EQ(constantValue(*integers(graph, false)), std::nullopt);
    DistCollective fromRoot;
    fromRoot.operation = DistCollective::Operation::Broadcast;
    fromRoot.root = 0;
    EXPECT_EQ(constantValue(*graph.emit(fromRoot, {graph.emit(Constant(Literal::scalar(1.F)), {})})), std::nullopt);
}

TEST(ConstantValue, isThatOfSeededNumbers) {
    Graph graph;
    Tensor* const drawn = integers(graph, true);
    auto const value = constantValue(*drawn);
    ASSERT_TRUE(value);
    EXPECT_EQ(value, constantValue(*drawn));
}

TEST(Varies, whereANodeInsideDoes) {
    auto const branch = [](bool seeded) {
        Graph graph;
        graph.markOutput(graph.emit(draw(seeded), {}));
        return graph;
    };
    Graph graph;
    Tensor* const condition = graph.addInput("c", DataType::Bool, {});
    auto const add = [&](bool seeded) {
        return graph.add(std::make_unique<Conditional>(Conditional::of(branch(true), branch(seeded))), {condition});
    };
    EXPECT_TRUE(onlyRunsKnow(*add(false)));
    EXPECT_FALSE(onlyRunsKnow(*add(true)));
}

/// Bytes of a float that is expanded to `count` ones, if that is computed within the budget.
size_t bytesAhead(int64_t count, AheadBudget const& budget) {
    Graph graph;
    Tensor* const one = graph.emit(Constant(Literal::of<float>({1}, {1})), {});
    Tensor* const shape = graph.emit(Constant(Literal::of<int64_t>({1}, {count})), {});
    Node const& node = *graph.emit(Expand{}, {one, shape})->producer();
    auto const made = computeAhead(node, operandsOf(node), budget);
    return made.empty() ? 0 : made[0].bytes();
}

TEST(ComputeAhead, keepsABudget) { // the inputs have 4 + 8 bytes
    EXPECT_EQ(bytesAhead(10, {40}), 40U);
    EXPECT_EQ(bytesAhead(11, {40}), 0U);
    EXPECT_EQ(bytesAhead(6, {0, 2}), 24U);
    EXPECT_EQ(bytesAhead(7, {0, 2}), 0U);
}

TEST(ComputeAhead, keepsWeightsOf8BitsAsFloats) {
    auto const bytesOf = [](Literal const& weights) {
        Graph graph;
        Tensor* const scale = graph.emit(Constant(Literal::scalar(0.5F)), {});
        Node const& node = *graph.emit(Dequantize{}, {graph.emit(Constant(weights), {}), scale})->producer();
        auto const made = computeAhead(node, operandsOf(node), {.always = 0});
        return made.empty() ? 0 : made[0].bytes();
    };
    std::vector<int8_t> const values(100, 3);
    EXPECT_EQ(bytesOf(Literal::of<int8_t>({100}, values)), 400U);
    EXPECT_EQ(bytesOf(Literal::copyOf(DataType::Int4, {200}, values.data())), 0U);
}

TEST(ComputeAhead, leavesWhatVariesToTheRun) {
    Graph graph;
    for (bool const seeded : {true, false}) {
        Node const& node = *graph.emit(draw(seeded), {})->producer();
        EXPECT_EQ(computeAhead(node, operandsOf(node), {1024}).empty(), !seeded);
    }
}

} // namespace
} // namespace tenon
