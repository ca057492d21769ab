// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Layers that only move or choose elements (max pooling, transposing, reshaping, slicing, joining) do it with the
/// integers where their inputs are dequantized alike, or their result is quantized: Dequantize sinks behind them and
/// Quantize rises before them, until both meet and are gone, or stand beside a layer that computes.
void moveQuantization(Graph& graph);

} // namespace tenon
