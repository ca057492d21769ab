// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/flat_nodes.h"

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace tenon::onnx {

/// The nodes of one graph that are left to import.
struct Scope {
    std::deque<FlatNode const*> left;
    std::vector<std::string> outputs; // the tensors read from a graph
    bool isModel = false;
    std::set<FlatNode const*> postponed{}; // nodes that were moved after those that do not depend on them
};

/// The nodes of `others` that depend on a node. `others` is in order.
std::set<FlatNode const*> dependents(FlatNode const& node, std::deque<FlatNode const*> const& others);

/// The outputs of the scope's graph that this node or one of those that are left makes.
std::vector<std::string> outputsFrom(FlatNode const& node, Scope const& scope);

} // namespace tenon::onnx
