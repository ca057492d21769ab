// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// How many of the first inputs the elements of the only output come from; 0 for layers that compute.
size_t movedInputs(Node const& node);

} // namespace tenon
