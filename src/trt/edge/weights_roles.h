// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "graph/graph.h"

#include <functional>
#include <string>

namespace tenon {
struct Constant;
}

namespace tenon::trt {

/// Weights as IRefitter names them by their layer.
struct WeightsPlace {
    std::string layer;
    nvinfer1::WeightsRole role;
};

/// "conv1 KERNEL"
std::string nameOf(WeightsPlace const& place);

/// Calls `visit` with each constant of a graph, and of the graphs inside of its layers, once for each layer whose
/// weights it holds; with itself as the layer where it holds none.
void forEachWeights(Graph const& graph, std::function<void(WeightsPlace const& place, Node& constant)> const& visit);

} // namespace tenon::trt
