// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <functional>
#include <vector>

namespace tenon::onnx {

/// The limit of nodes that local functions, or graphs inside of nodes, may expand to: a few that hold each other twice
/// make exponentially many.
constexpr size_t kMostNodes = 100'000;

/// A node of the model, or of a local function where it is called.
struct FlatNode {
    pb::NodeProto const* proto = nullptr;
    std::shared_ptr<void const> owner; // keeps `proto`, and the bytes of the tensors in it
    std::shared_ptr<Opsets const> opsets;
    int index = 0; // in the model; inside functions and bodies, of the outermost node; -1: in none
    std::vector<std::string> functions{}; // that contains it, outermost first
    std::vector<std::string> bodies{};    // the same of graphs inside of nodes: "then_branch of choice"
};

std::string const& domainOf(pb::NodeProto const& node);

/// Whether a node is imported as it is, even if a local function has its name.
using IsKnown = std::function<bool(FlatNode const& node)>;

/// An Error if a function calls itself, found by a call depth beyond any real model's. Names the cycle.
void expectNoRecursion(std::vector<std::string> const& functions);

/// The nodes of a model with calls of local functions replaced by their bodies. Tensors and nodes inside get the call's
/// name and '/' as a prefix. An Error names the functions of a call that never ends.
std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown);
/// The same for the graph that `around` holds in one of its attributes.
std::vector<FlatNode> flatNodes(Model const& model, IsKnown const& isKnown, pb::GraphProto const& body,
                                FlatNode const& around);

/// All that a node reads: its inputs, and the outer tensors that the graphs inside of it read. No empty names.
std::vector<std::string> readsOf(pb::NodeProto const& node);

/// Sorts the nodes of a graph so that each follows the nodes that it reads; the order is otherwise unchanged. An Error
/// names the nodes of a cycle, or two makers of one tensor.
void sortNodes(std::vector<FlatNode>& nodes, pb::GraphProto const& graph);

} // namespace tenon::onnx
