// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Einsum becomes transpositions, products of matrices and sums, which have kernels.
void lowerEinsum(Graph& graph);

} // namespace tenon
