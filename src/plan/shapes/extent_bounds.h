// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/profile.h"

#include <array>

namespace tenon {

/// The bounds of each tensor's extents, and of all elements of shape tensors, at all shapes that a profile allows:
/// bounds of the expressions of its shape. For an extent that no rule can express (it depends on elements that a layer
/// computes), and for one whose bounds exceed any memory, the span of the three points of the profile. The span is
/// included for all others too.
class ExtentBounds {
public:
    /// The shapes at min, opt and max, by tensor number, which is the index of a tensor in the graph.
    using Points = std::array<ShapeProgram::Shapes const*, 3>;
    ExtentBounds(Graph const& graph, Profile const& profile, Points const& points);

    std::vector<Dims> const& least() const { return least_; }
    std::vector<Dims> const& most() const { return most_; }
    /// Whether the rule of a node gives its largest outputs for its largest inputs, so that a kernel can be queried
    /// with them. Extents that reach their bounds at different points of a profile need not fit together.
    bool goTogether(Node const& node, ShapeProgram const& program) const;

private:
    std::vector<Dims> least_;
    std::vector<Dims> most_;
    std::vector<std::optional<Shape>> mostValues_; // the greatest elements of small integer tensors, where known
};

} // namespace tenon
