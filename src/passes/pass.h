// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/graph.h"

#include <span>

namespace tenon {

/// Rewrites a graph into one that computes the same. pipeline.cpp is the ordered list of all.
struct Pass {
    std::string_view name; // "fold_constants"
    void (*run)(Graph& graph);
    bool losesNans = false; // kernels turn NaNs in its results into numbers: max(x, 0) is 0
    /// For a pass that a build may leave out, because no other pass and no kernel depends on it: its description, for
    /// users who tune builds. Empty: it always runs.
    std::string_view optional = {};
};

/// The passes that rewrite a network before its plugins are cloned and its shape tensors marked; they also ran on the
/// network that a plan keeps.
std::span<Pass const> outlining();
/// The passes that a build runs after that.
std::span<Pass const> pipeline();

/// Runs the passes in order and logs them; an Error names the pass.
void runPasses(Graph& graph, std::span<Pass const> passes, Log const& log);

} // namespace tenon
