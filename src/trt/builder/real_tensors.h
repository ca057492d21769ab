// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon::trt {

/// Whether the node is a plugin that declared tensors which are in floating point even in INT8 (tenon/plugin.h).
bool namesReals(Node const& node);

/// If such a plugin reads or produces integers in these tensors: inserts Dequantize before it and Quantize after it,
/// with the scales of the graph. An Error names a tensor without one. False if there are no such integers.
bool restoreReals(Graph& graph, Node& node);

} // namespace tenon::trt
