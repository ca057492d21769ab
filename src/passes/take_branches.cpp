// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/take_branches.h"

#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"

#include <algorithm>
#include <unordered_map>

namespace tenon {
namespace {

/// Its nodes in `graph`, reading `inputs`; its outputs there.
std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, std::span<Tensor* const> inputs,
                              std::vector<Node*>& added) {
    std::unordered_map<Tensor const*, Tensor*> inside{{nullptr, nullptr}};
    for (size_t i = 0; i < inputs.size(); ++i) inside[body.inputs()[i]] = inputs[i];
    for (Node const* node : body.order()) {
        std::vector<Tensor*> reads;
        for (Tensor const* input : node->inputs()) reads.push_back(inside.at(input));
        added.push_back(addCopy(graph, *node, std::move(reads)));
        for (size_t i = 0; i < node->outputs().size(); ++i) inside[node->outputs()[i]] = added.back()->outputs()[i];
    }
    std::vector<Tensor*> outputs;
    for (Tensor const* output : body.outputs()) outputs.push_back(inside.at(output));
    return outputs;
}

void replace(Graph& graph, Tensor* from, Tensor* to, std::vector<Node*>& added) {
    if (graph.isOutput(from) || from->isDebug) { // that one keeps its name, and what passes through the branch its own
        added.push_back(graph.add(makeLayer("Identity"), {to}));
        to = added.back()->output();
        std::swap(from->name, to->name);
        std::swap(from->isDebug, to->isDebug);
    }
    graph.replaceUses(from, to);
}

void take(Graph& graph, Node* node, bool isTrue, std::vector<Node*>& added) {
    auto const& layer = *as<Conditional>(*node->layer);
    auto const inputs = std::span<Tensor* const>(node->inputs()).subspan(1);
    size_t const thens = layer.thenBody.inputs().size();
    auto const outputs = isTrue ? addNodes(graph, layer.thenBody, inputs.first(thens), added)
                                : addNodes(graph, layer.elseBody, inputs.subspan(thens), added);
    for (size_t i = 0; i < outputs.size(); ++i) replace(graph, node->output(static_cast<int>(i)), outputs[i], added);
    graph.remove(node);
}

struct Known {
    Node* node;
    bool isTrue;
};

/// One that stands in no other.
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
    while (auto const next = nextKnown(graph)) { // shapes behind it may say more of those behind it
        std::erase(added, next->node);
        take(graph, next->node, next->isTrue, added);
        graph.infer();
    }
    return added;
}

} // namespace tenon
