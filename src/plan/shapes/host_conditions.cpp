// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/host_conditions.h"

#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"

#include <set>

namespace tenon {
namespace {

/// Its elements, or their number, are known at run time only.
bool needsRun(Node const& node, bool readsElements) {
    if (!node.layer->sizes(operandsOf(node)).empty()) return true;
    return readsElements && onlyRunsKnow(node);
}

} // namespace

bool isKnownAtShapes(Tensor const& tensor) {
    using Read = std::pair<Tensor const*, bool>; // a tensor, and whether its elements matter, or its shape only
    std::vector<Read> left{{&tensor, true}};
    std::set<Read> seen;
    while (!left.empty()) {
        auto const [next, isElements] = left.back();
        left.pop_back();
        if (next->literal() || !seen.insert({next, isElements}).second) continue;
        Node const* const node = next->producer();
        if (node == nullptr && isElements && !next->onHost) return false;
        if (node == nullptr) continue;
        if (needsRun(*node, isElements)) return false;
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (Tensor const* const input = node->inputs()[i])
                left.emplace_back(input, isElements && !node->layer->readsShapeOnly(static_cast<int>(i)));
        }
    }
    return true;
}

bool settleConditions(Graph& graph) {
    bool any = false;
    for (auto const& node : graph.nodes()) {
        auto* const layer = as<Conditional>(*node->layer);
        if (!layer || layer->atShapes || node->input(0)->literal() || !isKnownAtShapes(*node->input(0))) continue;
        if (layer->isDecidedByData(operandsOf(*node))) continue; // outputs contain these extents
        layer->atShapes = any = true;
    }
    return any;
}

} // namespace tenon
