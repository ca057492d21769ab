// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/json/json_memory.h"

namespace tenon {

/// The plugins that a plan needs, for inspecting and loading it: no plugin is loaded for this.
Json manifestOf(Graph const& graph);

} // namespace tenon
