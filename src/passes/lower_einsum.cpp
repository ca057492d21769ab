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
        Tensor* const result =
            locate([&] { return text(*node); }, [&] { return addAsPlainLayers(graph, *layer, node->inputs()); });
        if (graph.isOutput(old)) graph.replaceOutput(old, result);
        graph.replaceUses(old, result);
        graph.remove(node);
    }
}

} // namespace tenon
