// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/parse.h"

namespace tenon::onnx {

/// Nodes of a model that can run together, by index in it.
struct NodeGroup {
    std::vector<int> nodes; // each after those that it reads
    /// They were parsed as a model of their own. If false, the tensors that they read are unknown.
    bool supported = false;
};

/// The parts of a model that can be imported.
struct Support {
    std::vector<ParseError> errors; // of the whole model; empty: all of it is supported, as one group
    /// In an order in which they can run, with the other nodes between them. No path between two nodes of a group leads
    /// through a node outside of it.
    std::vector<NodeGroup> groups;
};

/// Throws only std::bad_alloc.
Support supportOf(std::span<std::byte const> model, ParseOptions const& options);

} // namespace tenon::onnx
