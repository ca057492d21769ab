// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <unordered_set>

namespace tenon::trt {

using TensorSet = std::unordered_set<Tensor const*>;

/// The tensors whose elements are needed to work out a shape, and those whose elements are needed to compute an output
/// of the graph. A tensor may be in both.
TensorSet decidesShapes(Graph const& graph);
TensorSet decidesOutputs(Graph const& graph);

/// The constants of a graph, and of the graphs inside of its layers, that an engine is built for: another value would
/// need another engine. They decide shapes, or an importer made layers by them (Constant::decides).
TensorSet decidingConstants(Graph const& graph);

} // namespace tenon::trt
