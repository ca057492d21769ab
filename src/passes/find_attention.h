// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Softmax(scale · Q Kᵀ + mask) V in separate layers becomes one Attention, where nobody else reads what lies between.
/// Scaling may stand at Q, at K or at the product; a mask is added, or chooses between the product and a number, finite
/// or -infinity, that replaces it. NaN and infinity stay where the separate layers have them, and so does the softmax
/// of a query whose keys are all masked: uniform by a finite number, NaN by -infinity. Transpositions of Q, K, V and of
/// the result, and cutting Q, K and V out of one tensor, become the views of the node; so do those around an Attention
/// that stands there as such.
void findAttention(Graph& graph);

} // namespace tenon
