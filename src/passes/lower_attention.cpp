// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/lower_attention.h"

#include "layers/attention/attention.h"
#include "passes/put_layers.h"

namespace tenon {

void lowerAttention(Graph& graph) {
    for (Node* node : graph.order()) {
        auto const* layer = as<Attention>(*node->layer);
        if (layer == nullptr || layer->ranks == 1) continue;
        putLayers(graph, node, [&] { return addOverRanks(graph, *layer, node->inputs()); });
    }
    for (Node* node : graph.order()) {
        auto const* layer = as<Attention>(*node->layer);
        if (layer == nullptr || !layer->isQuantized() || !hasPlainLayers(*layer, node->inputs())) continue;
        putLayers(graph, node, [&] { return addAsPlainLayers(graph, *layer, node->inputs()); });
    }
}

} // namespace tenon
