// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// An attention of several ranks becomes one to keys and values that were collected from all. One that quantizes its
/// weights becomes products of matrices and what is between them, which have kernels: to quantize a weight, the fused
/// kernels would have to know the sum of all of a query's first.
void lowerAttention(Graph& graph);

} // namespace tenon
