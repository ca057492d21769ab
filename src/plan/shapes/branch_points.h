// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/profile.h"

namespace tenon {

/// Points of a profile at which the branches of a Conditional can run: kernels are chosen for them.
class BranchPoints {
public:
    BranchPoints(Graph const& graph, Node const& node, ShapeProgram const& program)
        : graph_(graph), node_(node), program_(program) {}

    /// The inputs of the graph at a point of a profile; if the branch cannot run there, at one where it can, with as
    /// many of that point's extents as possible. An Error if it can run at none of the tried points.
    std::vector<ShapeProgram::Input> near(Profile const& profile, ProfilePoint point, size_t branch) const;
    bool isPossible(std::vector<ShapeProgram::Input> const& inputs, size_t branch) const;

private:
    using Inputs = std::vector<ShapeProgram::Input>;

    Inputs anyPossible(Profile const& profile, size_t branch) const;
    std::vector<int64_t> extentsToTry(Profile const& profile, size_t branch) const;

    Graph const& graph_;
    Node const& node_;
    ShapeProgram const& program_;
};

} // namespace tenon
