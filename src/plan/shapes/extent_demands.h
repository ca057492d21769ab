// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/extent_check/extent_check.h"

namespace tenon {

/// What the nodes of a graph demand of extents that only a run knows. Passes remove nodes whose results are known for
/// all extents that the nodes accept (the shape of x [n,3] + c [2,3] is [2,3]), and with them the error for others.
class ExtentDemands {
public:
    /// Of a graph before passes.
    explicit ExtentDemands(Graph const& graph);

    /// Adds a node that checks what is demanded by the nodes that are gone.
    void addTo(Graph& graph) const;

private:
    std::vector<ExtentCheck::Rule> rules_;
};

} // namespace tenon
