// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Replaces each Conditional whose condition is known by the graph that runs, and drops the other one. Returns the
/// nodes that were added to the graph. A build runs it in outlining(), and once more if its profiles fix conditions.
std::vector<Node*> takeBranches(Graph& graph);

} // namespace tenon
