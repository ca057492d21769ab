// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "plugin/plugin.h"

namespace tenon {

/// The shapes of a node's inputs and outputs; rank 0 for absent ones.
struct NodeDims {
    std::vector<Dims> inputs;
    std::vector<Dims> outputs;
};

/// The shapes of a graph at the three points of a profile.
class ProfileShapes {
public:
    explicit ProfileShapes(Plan const& plan, Profile const& profile);

    ShapeProgram const& program() const { return program_; }
    std::vector<Dims> dimsOf(std::vector<Tensor*> const& tensors, ProfilePoint point) const; // rank 0 for null
    /// The shapes that kernels of a node are chosen for: those at the optimum, or at the maximum if a tensor is empty
    /// at the optimum.
    NodeDims dimsFor(Node const& node) const;
    /// The descriptions of inputs and outputs that a plugin gets, with the variant's labels.
    PortRanges rangesOf(Node const& node) const;
    PortRanges rangesOf(Node const& node, Variant const& variant) const;

private:
    ShapeProgram program_;
    ShapeProgram::Shapes min_;
    ShapeProgram::Shapes opt_;
    ShapeProgram::Shapes max_;
};

} // namespace tenon
