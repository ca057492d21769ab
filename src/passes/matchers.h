// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "steps/epilogue.h"

#include <optional>

namespace tenon {

// Helpers for matching nodes in passes.

/// The axis of the output that output channels are on, for a node with an epilogue.
int channelAxisOf(Node const& node);

/// All nodes with an epilogue, in order. Passes may remove others during the iteration.
std::vector<Node*> nodesWithEpilogue(Graph const& graph);
/// Those of them with weights.
std::vector<Node*> weightedNodes(Graph const& graph);

/// An elementwise node (Pointwise, Activation, Unary, Elementwise) as steps on its inputs; nullopt for other kinds.
std::optional<std::vector<PointwiseStep>> stepsOf(Node const& node);

/// Whether the value of a constant may be exchanged by a refit.
bool isOpen(Tensor const& tensor);
/// The value of a constant of one element that is not refittable.
std::optional<double> numberIn(Tensor const* tensor);

/// The only reader of the only output of a node; null if there are others, or if it is an output of the graph.
Node* onlyReader(Graph const& graph, Node const& node);

/// An operand that broadcasts along all axes of `result` except `axis`, on which it has one element per channel or one
/// in all.
bool isPerChannel(Tensor const& operand, Shape const& result, int axis);

/// Readers of the reader's output read the node's output, which takes over its name; the reader is removed.
void absorb(Graph& graph, Node* node, Node* reader);

} // namespace tenon
