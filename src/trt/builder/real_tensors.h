// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon::trt {

/// Whether the node is a plugin that named tensors which are real numbers in INT8 too (tenon/plugin.h).
bool namesReals(Node const& node);

/// Where a plugin that did reads or makes integers in these tensors: Dequantize in front of it, and Quantize behind it,
/// with the scales that the graph has for them. An Error names a tensor for which it has none. False where there are no
/// such integers.
bool restoreReals(Graph& graph, Node& node);

} // namespace tenon::trt
