// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/extent_check/extent_check.h"

namespace tenon {

/// The demands of a graph's nodes on extents that are known at run time only. Passes remove nodes whose results are
/// known for all extents that the nodes accept (the shape of x [n,3] + c [2,3] is [2,3]), and with them the error for
/// others.
class ExtentDemands {
public:
    /// Of a graph before passes.
    explicit ExtentDemands(Graph const& graph);

    /// Adds a node that checks the demands of the removed nodes.
    void addTo(Graph& graph) const;

private:
    std::vector<ExtentCheck::Rule> rules_;
};

} // namespace tenon
