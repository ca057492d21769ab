// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Puts in place of each Conditional whose condition is known the graph that runs, and drops the other one. Gives the
/// nodes that came into the graph. A build runs it in outlining(), and once more where its profiles fix conditions.
std::vector<Node*> takeBranches(Graph& graph);

} // namespace tenon
