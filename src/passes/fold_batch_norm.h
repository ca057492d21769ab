// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Convolution, Deconvolution and MatrixMultiply with constant weights take over constant scales and shifts (a folded
/// batch normalization, a product or sum with one number per channel) that are their only readers, and Convolution also
/// those before it without other readers.
void foldBatchNorm(Graph& graph);

} // namespace tenon
