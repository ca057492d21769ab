// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>

namespace tenon {

/// Layers replace a node with one output: `add` adds them and returns the last one's output.
void putLayers(Graph& graph, Node* node, std::function<Tensor*()> const& add);

} // namespace tenon
