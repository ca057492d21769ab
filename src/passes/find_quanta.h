// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Marks the float32 tensors that may be stored in integers without changing results: outputs of Dequantize, and
/// tensors that only Quantize reads, always with the same scale and zero point.
void findQuanta(Graph& graph);

} // namespace tenon
