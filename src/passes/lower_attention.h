// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// An attention of several ranks becomes one with keys and values that are gathered from all. One that quantizes its
/// weights becomes products of matrices and the layers between them, which have kernels: to quantize a weight, a fused
/// kernel would have to know the sum over all keys first.
void lowerAttention(Graph& graph);

} // namespace tenon
