// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/parse.h"

namespace tenon::onnx {

/// Nodes of a model that can go together, by index in it.
struct NodeGroup {
    std::vector<int> nodes; // each after those that it reads
    /// They were read as a model of their own. Where not, what their nodes read is not known.
    bool supported = false;
};

/// What of a model can be read.
struct Support {
    std::vector<ParseError> errors; // of the whole model; empty: all of it can be read, and is one group
    /// In an order in which they can run, with the other nodes between them. No way from a node of a group to another
    /// one of it leads through a node outside of it.
    std::vector<NodeGroup> groups;
};

/// Throws nothing but std::bad_alloc.
Support supportOf(std::span<std::byte const> model, ParseOptions const& options);

} // namespace tenon::onnx
