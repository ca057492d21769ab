// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Normalizations that a network spells out, (x - mean) / sqrt(variance + epsilon) with a constant scale and bias
/// behind it or not, become one node; so do those that leave the mean out. Only where kernels take them: along
/// neighbouring axes.
void findNormalization(Graph& graph);

} // namespace tenon
