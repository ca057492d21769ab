// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/put_layers.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {
namespace {

/// A type that was requested of the layer is requested of its floating-point replacements.
void askLike(Node& node, Node const& old) {
    auto const isReal = [](Tensor const* tensor) { return tensor && isFloat(tensor->type); };
    bool const computes = !node.layer->constant() &&
                          (std::ranges::any_of(node.inputs(), isReal) || std::ranges::any_of(node.outputs(), isReal));
    if (!computes || !old.askedType || !isFloat(*old.askedType)) return;
    node.askedType = old.askedType;
    node.isFirm = old.isFirm;
}

} // namespace

void putLayers(Graph& graph, Node* node, std::function<Tensor*()> const& add) {
    Tensor* const old = node->output();
    size_t const before = graph.nodes().size();
    Tensor* const result = locate([&] { return text(*node); }, add);
    for (size_t i = before; i < graph.nodes().size(); ++i) {
        Node& added = *graph.nodes()[i]; // errors of a run name the layer
        added.name = i == before ? node->name : text(node->name, '_', i - before + 1);
        askLike(added, *node);
    }
    result->askedType = old->askedType;
    if (graph.isOutput(old)) graph.replaceOutput(old, result);
    graph.replaceUses(old, result);
    graph.remove(node);
}

} // namespace tenon
