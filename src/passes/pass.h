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
    bool losesNans = false; // kernels make numbers of NaNs in what it makes: max(x, 0) is 0
    /// Of a pass that a build may leave out, because no other pass and no kernel depends on it: what it does, as text
    /// for those who tune builds. Empty: it always runs.
    std::string_view optional = {};
};

/// The passes that rewrite a network before its plugins are cloned and its shape tensors marked; the network that a
/// plan keeps has passed them too.
std::span<Pass const> outlining();
/// The passes that a build runs then.
std::span<Pass const> pipeline();

/// Runs the passes in order; logs what each did; an Error names the pass.
void runPasses(Graph& graph, std::span<Pass const> passes, Log const& log);

} // namespace tenon
