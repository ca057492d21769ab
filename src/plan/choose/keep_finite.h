// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/settings.h"

namespace tenon {

/// What masks are filled with, the least float32 there is, is -infinity in float16 and bfloat16, and a softmax of
/// nothing but -infinity is NaN. Where such types are allowed, float32 constants beyond 1e30 become the nearest number
/// that all allowed types have. Infinities stay, and what is read only by nodes that are to compute in float32.
void keepFinite(Graph& graph, Precision const& precision);

} // namespace tenon
