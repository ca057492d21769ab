// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Marks the float32 tensors that may be kept in integers without a difference to anyone: what Dequantize gives, and
/// what nothing but Quantize reads, always by the same scale and zero point.
void findQuanta(Graph& graph);

} // namespace tenon
