// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/graph.h"

#include "base/error.h"
#include "base/text.h"
#include "layers/elementwise/elementwise.h"
#include "layers/identity/identity.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

Node* addIdentity(Graph& graph, std::string name) {
    return graph.addUnchecked(std::make_unique<Identity>(), {}, 1, std::move(name));
}

std::string names(std::vector<Node*> const& nodes) {
    std::string all;
    for (Node const* node : nodes) all += node->name;
    return all;
}

TEST(GraphOrder, isThatOfAddingWhereTheEdgesAllowIt) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {3});
    Node* const a = addIdentity(graph, "a");
    Node* const b = addIdentity(graph, "b");
    Node* const c = addIdentity(graph, "c");
    Node* const d = addIdentity(graph, "d");
    graph.setInputs(a, {c->output()});
    graph.setInputs(b, {x});
    graph.setInputs(c, {b->output()});
    graph.setInputs(d, {x});
    EXPECT_EQ(names(graph.order()), "bcda");
}

TEST(GraphOrder, countsATensorThatIsReadTwice) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {3});
    Node* const twice = graph.addUnchecked(std::make_unique<Elementwise>(), {}, 1, "twice");
    Node* const once = addIdentity(graph, "once");
    graph.setInputs(twice, {once->output(), once->output()});
    graph.setInputs(once, {x});
    EXPECT_EQ(names(graph.order()), "oncetwice");
}

TEST(GraphOrder, takesNoQuadraticTimeForAChainThatWasAddedBackwards) {
    constexpr int kNodes = 200'000; // one sweep per node would take hours
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {3});
    Node* later = addIdentity(graph, "last");
    for (int i = 1; i < kNodes; ++i) {
        Node* const node = addIdentity(graph, "n");
        graph.setInputs(later, {node->output()});
        later = node;
    }
    graph.setInputs(later, {x});
    auto const order = graph.order();
    ASSERT_EQ(order.size(), size_t{kNodes});
    EXPECT_EQ(order.front(), later);
    EXPECT_EQ(order.back()->name, "last");
}

TEST(GraphOrder, namesTheNodesOfACycle) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {3});
    Node* const free = addIdentity(graph, "free");
    Node* const a = addIdentity(graph, "a");
    Node* const b = addIdentity(graph, "b");
    Node* const after = addIdentity(graph, "after");
    graph.setInputs(free, {x});
    graph.setInputs(a, {b->output()});
    graph.setInputs(b, {a->output()});
    graph.setInputs(after, {b->output()});
    try {
        graph.order();
        FAIL() << "a cycle was ordered";
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "the graph has a cycle through: a, b");
    }
}

} // namespace
} // namespace tenon
