// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Elementwise nodes that stand alone behind Convolution, Deconvolution, MatrixMultiply or Normalization become its
/// epilogue, as far as kernels compute them well before they store: activations, numbers one a channel, a residual of
/// the same shape.
void fuseEpilogue(Graph& graph);

} // namespace tenon
