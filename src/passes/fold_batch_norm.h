// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Convolution, Deconvolution and MatrixMultiply with constant weights take over constant scales and shifts (a
/// folded batch normalization, the product or sum with numbers one a channel) that stand alone behind them, and
/// Convolution those that stand alone before it.
void foldBatchNorm(Graph& graph);

} // namespace tenon
