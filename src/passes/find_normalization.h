// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Normalizations in separate layers, (x - mean) / sqrt(variance + epsilon) with or without a constant scale and bias
/// after it, become one node; so do those without mean. Only along adjacent axes, which kernels support.
void findNormalization(Graph& graph);

} // namespace tenon
