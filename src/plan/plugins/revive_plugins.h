// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/read_options.h"

namespace tenon {

/// Creates the plugins of all nodes of a graph that was read, to run or to be built again. An Error names a node whose
/// plugin is not registered.
void revivePlugins(Graph const& graph, PluginPhase phase, ReadOptions const& options);

} // namespace tenon
