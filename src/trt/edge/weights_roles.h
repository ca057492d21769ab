// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "graph/graph.h"

#include <functional>
#include <string>
#include <vector>

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

/// The name of a constant that a parser added: that of its initializer, also where a node of this name was there
/// already.
std::string const& modelNameOf(Node const& constant);
/// The same for nameConstants().
std::string byModel(Node const& constant, WeightsPlace const& place);

/// A constant by the name that a refitter knows it by.
struct NamedConstant {
    Node* node;
    std::string name;
};
/// All of a graph and of the graphs inside of its layers, by their wished names. One name is for one value: another
/// value of that name is called after its node.
std::vector<NamedConstant>
nameConstants(Graph const& graph,
              std::function<std::string(Node const& constant, WeightsPlace const& place)> const& wished);

/// Calls `visit` with each constant of a graph, and of the graphs inside of its layers, once for each layer whose
/// weights it holds; with itself as the layer where it holds none.
void forEachWeights(Graph const& graph, std::function<void(WeightsPlace const& place, Node& constant)> const& visit);

} // namespace tenon::trt
