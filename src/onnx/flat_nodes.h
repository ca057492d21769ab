// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <functional>
#include <vector>

namespace tenon::onnx {

/// The most nodes that local functions, or graphs inside of nodes, may expand to: a few that hold each other twice make
/// exponentially many.
constexpr size_t kMostNodes = 100'000;

/// A node of the model, or of a local function where it is called.
struct FlatNode {
    pb::NodeProto const* proto = nullptr;
    std::shared_ptr<void const> owner; // keeps `proto`, and the bytes of the tensors in it
    std::shared_ptr<Opsets const> opsets;
    int index = 0; // in the model; inside functions and bodies, of the outermost node; -1: in none
    std::vector<std::string> functions{}; // that it stands in, outermost first
    std::vector<std::string> bodies{};    // the same of graphs inside of nodes: "then_branch of choice"
};

std::string const& domainOf(pb::NodeProto const& node);

/// Whether a node is imported as it is, even if a local function has its name.
using IsKnown = std::function<bool(FlatNode const& node)>;

/// An Error where a function is called inside of itself: for calls that are deeper than any model's. Names the cycle.
void expectNoRecursion(std::vector<std::string> const& functions);

/// The nodes of a model with the bodies of local functions in place of their calls. Tensors and nodes inside get the
/// call's name and '/' in front. An Error names the functions of a call that never ends.
std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown);
/// The same of the graph that `around` holds in one of its attributes.
std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown, pb::GraphProto const& body,
                                FlatNode const& around);

/// All that a node reads: its inputs, and what the graphs inside of it read from around it. No empty names.
std::vector<std::string> readsOf(pb::NodeProto const& node);

/// Puts the nodes of a graph in an order in which each stands after those that it reads; otherwise as they are. An
/// Error names the nodes of a cycle, or two makers of one tensor.
void sortNodes(std::vector<FlatNode>& nodes, pb::GraphProto const& graph);

} // namespace tenon::onnx
