// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Turns the nodes between the ControlEdges of each group into the graph inside one Loop or Conditional. An Error names
/// the layer that does not fit.
void outlineControl(Graph& graph);

} // namespace tenon
