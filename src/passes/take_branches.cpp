// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/take_branches.h"

#include "graph/body.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"

#include <algorithm>

namespace tenon {
namespace {

void take(Graph& graph, Node* node, bool isTrue, std::vector<Node*>& added) {
    auto const& layer = *as<Conditional>(*node->layer);
    auto const inputs = std::span<Tensor* const>(node->inputs()).subspan(1);
    size_t const thens = layer.thenBody.inputs().size();
    auto const outputs = isTrue ? addNodes(graph, layer.thenBody, inputs.first(thens), added)
                                : addNodes(graph, layer.elseBody, inputs.subspan(thens), added);
    replaceNode(graph, node, outputs, added);
}

struct Known {
    Node* node;
    bool isTrue;
};

/// One that is not inside another one.
std::optional<Known> nextKnown(Graph const& graph) {
    for (auto const& node : graph.nodes()) {
        if (node->kind() != Conditional::kKind) continue;
        if (auto const condition = knownNumber(*node->input(0))) return Known{node.get(), *condition != 0};
    }
    return std::nullopt;
}

} // namespace

std::vector<Node*> takeBranches(Graph& graph) {
    std::vector<Node*> added;
    while (auto const next = nextKnown(graph)) { // later shapes may give more information on these
        std::erase(added, next->node);
        take(graph, next->node, next->isTrue, added);
        graph.infer();
    }
    return added;
}

} // namespace tenon
