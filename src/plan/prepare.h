// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tenon {

/// The first step of a build, in parts: the preparation of a network before passes rewrite it.

/// The network with each loop and conditional as one layer that contains its part of the network. A conditional whose
/// condition is known is replaced by the branch that runs. Empty if the network has neither.
std::optional<Graph> outlined(Graph const& network);

/// A plan with the network as its graph, nothing chosen yet. An Error if the network has no output, or invalid names.
Plan planOf(Graph const& network, BuildConfig const& config);

/// Infers all shapes, with different names for different extents that are known at run time only.
void inferApart(Graph& graph);

/// Marks the shape tensors of a graph, with the inputs and outputs of its network that applications pass and read on
/// the host.
class HostMarks {
public:
    HostMarks(Graph const& network, BuildConfig const& config);

    void mark(Graph& graph) const;
    /// Marks, lets the host compute the conditions that it can, and marks again.
    void settle(Graph& graph) const;

private:
    std::vector<size_t> outputs_;  // read on the host, by position
    std::set<std::string> inputs_; // whose elements profiles give, by name
};

/// The profiles, checked; one without ranges if there are none: constant shapes need none.
std::vector<Profile> profilesOf(Graph const& network, std::vector<Profile> profiles);

/// Writes the extents and conditions that all profiles fix into the graph. True if there are any.
bool specialize(Graph& graph, std::vector<Profile> const& profiles);

/// The network to build again for another device; null if the plan keeps none.
std::shared_ptr<Graph> networkToKeep(Graph const& network, BuildConfig const& config);

} // namespace tenon
