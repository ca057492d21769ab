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

/// Weights as IRefitter names them, by their layer.
struct WeightsPlace {
    std::string layer;
    nvinfer1::WeightsRole role;
};

/// Whether a layer has a role for them: a kernel, a bias, a shift or a scale.
bool hasRole(WeightsPlace const& place);
/// "conv1 KERNEL"
std::string nameOf(WeightsPlace const& place);

/// The name of a constant that a parser added: that of its initializer, also if a node of this name existed.
std::string const& modelNameOf(Node const& constant);
/// The same for nameConstants().
std::string byModel(Node const& constant, WeightsPlace const& place);

/// A constant by its name for a refitter.
struct NamedConstant {
    Node* node;
    std::string name;
};
/// All of a graph and of the graphs inside its layers, by their wished names; those without a name are left out. Each
/// name has one value: another value with that name is named after its node.
std::vector<NamedConstant>
nameConstants(Graph const& graph,
              std::function<std::string(Node const& constant, WeightsPlace const& place)> const& wished);

/// Calls `visit` with each constant of a graph, and of the graphs inside its layers, and with the layers whose weights
/// it contains: those that read it in such a role, and last the constant itself, unless it is hidden
/// (Constant::isHidden); a hidden one has the role kANY if its reader has no other for it.
void forEachWeights(Graph const& graph,
                    std::function<void(Node& constant, std::vector<WeightsPlace> const& places)> const& visit);

} // namespace tenon::trt
