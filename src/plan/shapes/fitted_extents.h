// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/shape_program.h"

namespace tenon {

/// The shapes of a node's inputs and outputs; rank 0 for absent ones.
struct NodeDims {
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;

    friend bool operator==(NodeDims const&, NodeDims const&) = default;
};

/// The shapes at which a node is planned, of which some extents of inputs are guesses: as in `shapes` if the node's
/// rule accepts them, else with guesses that fit, for example constant weights. nullopt if none was found.
std::optional<NodeDims> fittedDims(Node const& node, ShapeProgram const& program, ShapeProgram::Shapes const& shapes);

} // namespace tenon
