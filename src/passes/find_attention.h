// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Softmax(scale · Q Kᵀ + mask) V in separate layers becomes one Attention, if intermediate results have no other
/// readers. The scale may apply to Q, to K or to the product; a mask is added, or selects between the product and a
/// number, finite or -infinity, that replaces it. NaN and infinity are the same as with separate layers, and so is the
/// softmax of a query whose keys are all masked: uniform with a finite number, NaN with -infinity. Transpositions of Q,
/// K, V and of the result, and slices of Q, K and V out of one tensor, become the views of the node; also around an
/// Attention that the network itself contains.
void findAttention(Graph& graph);

} // namespace tenon
