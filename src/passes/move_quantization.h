// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Layers that only move or select elements (max pooling, transposing, reshaping, slicing, joining) move the integers
/// if their inputs are dequantized alike, or their result is quantized: Dequantize moves after them and Quantize before
/// them, until both meet and are removed, or are adjacent to a layer that computes.
void moveQuantization(Graph& graph);

} // namespace tenon
