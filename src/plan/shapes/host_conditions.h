// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Whether the elements of a tensor are known when shapes are set.
bool isKnownAtShapes(Tensor const& tensor);

/// Lets each Conditional be computed at shapes (Conditional::atShapes) whose condition follows from shapes, constants
/// and shape tensors. True if there are new ones: the caller then infers all shapes and marks shape tensors again.
bool settleConditions(Graph& graph);

} // namespace tenon
