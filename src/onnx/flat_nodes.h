// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <functional>
#include <vector>

namespace tenon::onnx {

/// A node of the model, or of a local function where it is called.
struct FlatNode {
    pb::NodeProto const* proto = nullptr;
    std::shared_ptr<void const> owner; // keeps `proto`
    std::shared_ptr<Opsets const> opsets;
    int index = 0;                      // in the model; inside functions, of the outermost call
    std::vector<std::string> functions; // that it stands in, outermost first
};

std::string const& domainOf(pb::NodeProto const& node);

/// Whether a node is imported as it is, even if a local function has its name.
using IsKnown = std::function<bool(pb::NodeProto const& node)>;

/// The nodes of a model with the bodies of local functions in place of their calls. Tensors and nodes inside get the
/// call's name and '/' in front. An Error names the functions of a call that never ends.
std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown);

/// Puts the nodes in an order in which each stands after those that it reads; otherwise as they are. An Error names the
/// nodes of a cycle, or two makers of one tensor.
void sortNodes(std::vector<FlatNode>& nodes);

} // namespace tenon::onnx
