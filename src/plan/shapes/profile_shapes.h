// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/extent_bounds.h"
#include "plan/shapes/fitted_extents.h"
#include "plugin/plugin.h"

namespace tenon {

/// The shapes of a graph at the three points of a profile, and the bounds of those that the profile allows.
class ProfileShapes {
public:
    /// Refers to the graph, which must not change.
    ProfileShapes(Graph const& graph, Profile const& profile);

    ShapeProgram const& program() const { return program_; }
    ShapeProgram::Shapes const& at(ProfilePoint point) const;
    /// The upper bounds of all shapes, with the elements of shape tensors at the maximum. They need not fit together.
    ShapeProgram::Shapes largest() const;
    /// No extent is larger anywhere than at the maximum of the profile.
    bool isLargestAtMax() const { return max_.dims == bounds_.most(); }
    std::vector<Dims> dimsOf(std::vector<Tensor*> const& tensors, ProfilePoint point) const; // rank 0 for null
    /// The shapes that kernels of a node are chosen for: those at the optimum, or at the maximum if a tensor is empty
    /// at the optimum. If extents of its inputs are known at run time only, shapes that its rule accepts, if any are
    /// found.
    NodeDims dimsFor(Node const& node) const;
    /// The same for data that depend on them, such as packed weights: an Error if none are found.
    NodeDims exactDimsFor(Node const& node) const;
    /// Whether extents of its inputs are known at run time only: those here are bounds or guesses, which need not fit
    /// together.
    bool isOpen(Node const& node) const;
    /// The points at which a kernel of a node may need the most workspace: the maximum, and the other points and the
    /// bounds if those have larger extents.
    std::vector<NodeDims> largestFor(Node const& node) const;
    /// The descriptions of inputs and outputs that a plugin gets, with the variant's labels. min and max are bounds.
    PortRanges rangesOf(Node const& node) const;
    PortRanges rangesOf(Node const& node, Variant const& variant) const;

private:
    ProfilePoint pointFor(Node const& node) const;
    NodeDims dimsAt(Node const& node, ProfilePoint point) const;
    std::vector<Dims> pick(std::vector<Tensor*> const& tensors, std::vector<Dims> const& dims) const;

    ShapeProgram program_;
    ShapeProgram::Shapes min_;
    ShapeProgram::Shapes opt_;
    ShapeProgram::Shapes max_;
    ExtentBounds bounds_;
};

} // namespace tenon
