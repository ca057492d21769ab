// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <vector>

namespace tenon::test {

/// The outputs of a graph for these inputs, node by node by the reference kernels.
std::vector<Literal> runGraph(Graph const& graph, std::vector<Literal> const& inputs);

} // namespace tenon::test
