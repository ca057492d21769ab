// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Elementwise nodes that are the only readers of Convolution, Deconvolution, MatrixMultiply or Normalization become
/// its epilogue, if kernels can compute them fast before they store: activations, one number per channel, a residual of
/// the same shape.
void fuseEpilogue(Graph& graph);

} // namespace tenon
