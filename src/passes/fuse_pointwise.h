// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Elementwise nodes on floating point tensors become Pointwise nodes, and trees of them become one, if their
/// intermediate results have the shape of the result and no other readers. Single numbers become parameters of their
/// steps, other constants get the rank of the result, so that they can be read in its format.
void fusePointwise(Graph& graph);

} // namespace tenon
