// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/settings.h"

namespace tenon {

/// The value that masks use, the least float32, is -infinity in float16 and bfloat16, and a softmax of only -infinity
/// is NaN. If such types are allowed, float32 constants beyond 1e30 become the nearest number that all allowed types
/// have. Infinities are kept, and so are constants that are read only by nodes that must compute in float32.
void keepFinite(Graph& graph, Precision const& precision);

} // namespace tenon
