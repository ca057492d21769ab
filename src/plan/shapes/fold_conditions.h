// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/shapes/profile.h"

#include <vector>

namespace tenon {

/// Replaces conditions by constants that are the same for all shapes of the profiles. True if there are any.
bool foldConditions(Graph& graph, std::vector<Profile> const& profiles);

/// Throws an Error if the branches of a Conditional have different ranks, and the profiles allow both.
void expectOneRank(Graph const& graph);

} // namespace tenon
