// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "passes/control_group.h"

namespace tenon {

/// Replaces a group that is a loop, without edges of other groups inside, by a Loop. `order`: the graph's nodes, in
/// order. An Error names the layer that does not fit.
void outlineLoop(Graph& graph, std::vector<Node*> const& order, ControlGroup const& group);

} // namespace tenon
