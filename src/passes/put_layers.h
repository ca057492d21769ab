// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>

namespace tenon {

/// Layers take the place of a node with one output: `add` adds them and gives the last one's output.
void putLayers(Graph& graph, Node* node, std::function<Tensor*()> const& add);

} // namespace tenon
