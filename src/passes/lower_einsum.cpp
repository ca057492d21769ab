// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/lower_einsum.h"

#include "base/error.h"
#include "layers/einsum/einsum.h"

namespace tenon {

void lowerEinsum(Graph& graph) {
    for (Node* node : graph.order()) {
        auto const* layer = as<Einsum>(*node->layer);
        if (layer == nullptr) continue;
        Tensor* const old = node->output();
        size_t const before = graph.nodes().size();
        Tensor* const result =
            locate([&] { return text(*node); }, [&] { return addAsPlainLayers(graph, *layer, node->inputs()); });
        for (size_t i = before; i < graph.nodes().size(); ++i) // errors of a run tell where they come from
            graph.nodes()[i]->name = i == before ? node->name : text(node->name, '_', i - before + 1);
        if (graph.isOutput(old)) graph.replaceOutput(old, result);
        graph.replaceUses(old, result);
        graph.remove(node);
    }
}

} // namespace tenon
