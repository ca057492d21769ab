// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/remove_dead.h"

#include "layers/cast/cast.h"
#include "layers/control_edge/control_edge.h"

#include <algorithm>

namespace tenon {
namespace {

/// Whether the first output always equals the first input.
bool changesNothing(Node const& node) {
    if (node.inputs().empty() || node.input(0) == nullptr || node.outputs().size() != 1) return false;
    if (node.input(0)->type != node.output()->type || node.input(0)->shape != node.output()->shape) return false;
    return node.kind() == Cast::kKind || movedInputs(node).inOrder;
}

/// An output of the network keeps its name, so its source can replace it only if that has no name of its own to keep.
bool mayStandFor(Graph const& graph, Tensor const* source, Tensor const* result) {
    return !graph.isOutput(result) || (source->producer() && !source->literal() && !graph.isOutput(source));
}

/// Control edges are counted: they stay until their loop or conditional is outlined.
bool isUnread(Graph const& graph, Node const& node) {
    if (node.outputs().empty() || node.kind() == ControlEdge::kKind) return false;
    return std::ranges::all_of(node.outputs(), [&](Tensor const* output) {
        return output->readers().empty() && !graph.isOutput(output) && !output->isDebug;
    });
}

} // namespace

void removeDead(Graph& graph) {
    for (Node* node : graph.order()) {
        if (!changesNothing(*node)) continue;
        Tensor* source = node->input(0);
        if (!mayStandFor(graph, source, node->output())) continue;
        if (graph.isOutput(node->output())) graph.replaceOutput(node->output(), source);
        graph.replaceUses(node->output(), source);
    }
    removeUnread(graph);
}

void removeUnread(Graph& graph) {
    auto nodes = graph.order();
    std::ranges::reverse(nodes);
    for (Node* node : nodes) {
        if (isUnread(graph, *node)) graph.remove(node);
    }
}

} // namespace tenon
