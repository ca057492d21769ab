// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/json_fields.h"

namespace tenon {

/// What plugins a plan needs, for whoever inspects or loads it: no plugin is loaded to tell.
Json manifestOf(Graph const& graph);

} // namespace tenon
