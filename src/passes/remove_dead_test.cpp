// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/remove_dead.h"

#include "base/text.h"
#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "layers/identity/identity.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

std::string kinds(Graph const& graph) {
    std::string all;
    for (Node const* node : graph.order()) all += text(all.empty() ? "" : " ", node->kind());
    return all;
}

Tensor* input(Graph& graph) { return graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3}); }

Slice from(int64_t start, int64_t end) {
    Slice layer;
    layer.bounds = Slice::Bounds::End;
    layer.axes = {0};
    layer.start = {start};
    layer.size = {end};
    return layer;
}

Cast to(DataType type) {
    Cast layer;
    layer.to = type;
    return layer;
}

TEST(RemoveDead, removesChainsThatNobodyReads) {
    Graph graph;
    Tensor* x = input(graph);
    graph.emit(Softmax{}, {graph.emit(Softmax{}, {x})});
    graph.emit(Constant(test::floats({1}, {1})), {});
    graph.markOutput(graph.emit(ShapeOf{}, {x}));
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Shape");
}

TEST(RemoveDead, keepsInputsOfTheNetwork) {
    Graph graph;
    Tensor* x = input(graph);
    graph.addInput("unread", DataType::Float32, {1});
    graph.markOutput(graph.emit(Softmax{}, {x}));
    removeDead(graph);
    EXPECT_EQ(graph.inputs().size(), 2U);
}

TEST(RemoveDead, removesWhatChangesNothing) {
    Graph graph;
    Tensor* x = input(graph);
    x = graph.emit(Identity{}, {x});
    x = graph.emit(to(DataType::Float32), {x});
    x = graph.emit(Shuffle::reshaping({0, 0}), {x});
    x = graph.emit(Shuffle::transposing({0, 1}), {x});
    x = graph.emit(from(0, INT64_MAX), {x});
    graph.markOutput(graph.emit(Softmax{}, {x}));
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Softmax");
    EXPECT_EQ(graph.nodes()[0]->input(0), graph.inputs()[0]);
}

TEST(RemoveDead, keepsWhatChangesSomething) {
    Graph graph;
    Tensor* square = graph.addInput("x", DataType::Float32, {3, 3});
    Tensor* y = graph.emit(Shuffle::transposing({1, 0}), {square}); // of the same shape
    y = graph.emit(from(-1, INT64_MAX), {y});
    y = graph.emit(to(DataType::Int32), {y});
    graph.markOutput(y);
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Shuffle Slice Cast");
}

TEST(RemoveDead, keepsAReversalOfAllElements) {
    Graph graph;
    Slice backwards = from(-1, INT64_MIN);
    backwards.stride = {-1};
    graph.markOutput(graph.emit(backwards, {graph.addInput("x", DataType::Float32, {3, 3})}));
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Slice");
}

TEST(RemoveDead, keepsTheNamesOfOutputs) {
    Graph graph;
    Tensor* y = graph.emit(Identity{}, {graph.emit(Softmax{}, {input(graph)})});
    y->name = "y";
    graph.markOutput(y);
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Softmax");
    EXPECT_EQ(graph.outputs()[0]->name, "y");
}

TEST(RemoveDead, keepsACopyWhereTwoNamesNeedATensorEach) {
    Graph graph;
    Tensor* x = input(graph);
    graph.markOutput(graph.emit(Identity{}, {x})); // an input as an output
    Tensor* y = graph.emit(Softmax{}, {x});
    graph.markOutput(y);
    graph.markOutput(graph.emit(Identity{}, {y})); // an output twice
    removeDead(graph);
    EXPECT_EQ(kinds(graph), "Identity Softmax Identity");
}

} // namespace
} // namespace tenon
