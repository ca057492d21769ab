// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>
#include <vector>

namespace tenon::test {

/// Changes a result before other nodes read it.
using Between = std::function<Literal(Literal const&)>;

/// The outputs of a graph for these inputs, node by node by the reference kernels.
std::vector<Literal> runGraph(Graph const& graph, std::vector<Literal> const& inputs);
std::vector<Literal> runGraphThrough(Between const& between, Graph const& graph, std::vector<Literal> const& inputs);

} // namespace tenon::test
