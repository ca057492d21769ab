// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <unordered_set>

namespace tenon::trt {

using TensorSet = std::unordered_set<Tensor const*>;

/// The tensors whose elements are needed to compute a shape, and those whose elements are needed to compute an output
/// of the graph. A tensor may be in both.
TensorSet decidesShapes(Graph const& graph);
TensorSet decidesOutputs(Graph const& graph);

/// The constants of a graph, and of the graphs inside its layers, whose values an engine depends on: they decide
/// shapes, or an importer created layers depending on them (Constant::decides). Another value needs another engine.
TensorSet decidingConstants(Graph const& graph);

} // namespace tenon::trt
