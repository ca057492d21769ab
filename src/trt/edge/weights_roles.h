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

/// Whether a layer has a role for them: a kernel, a bias, a shift or a scale.
bool hasRole(WeightsPlace const& place);
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
/// All of a graph and of the graphs inside of its layers, by their wished names; those without a name are left out. One
/// name is for one value: another value of that name is called after its node.
std::vector<NamedConstant>
nameConstants(Graph const& graph,
              std::function<std::string(Node const& constant, WeightsPlace const& place)> const& wished);

/// Calls `visit` with each constant of a graph, and of the graphs inside of its layers, and with the layers whose
/// weights it holds: those that read it in such a role, and last the constant itself, unless it is hidden
/// (Constant::isHidden); a hidden one is of kANY role where its reader has no other for it.
void forEachWeights(Graph const& graph,
                    std::function<void(Node& constant, std::vector<WeightsPlace> const& places)> const& visit);

} // namespace tenon::trt
