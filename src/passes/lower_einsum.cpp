// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/lower_einsum.h"

#include "layers/einsum/einsum.h"
#include "passes/put_layers.h"

namespace tenon {

void lowerEinsum(Graph& graph) {
    for (Node* node : graph.order()) {
        if (auto const* layer = as<Einsum>(*node->layer))
            putLayers(graph, node, [&] { return addAsPlainLayers(graph, *layer, node->inputs()); });
    }
}

} // namespace tenon
