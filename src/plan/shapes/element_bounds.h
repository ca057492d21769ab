// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/dim_bounds.h"
#include "graph/graph.h"

#include <functional>
#include <unordered_map>

namespace tenon {

/// Integers that bound all elements of tensors in any run: flags are 0 or 1, the sum of n flags is 0 to n, and Clip has
/// its bounds. Without a bounding operation the interval is all of int64. Floating point elements are between these
/// integers too; NaN does not count.
class ElementBounds {
public:
    /// `ofExtent`: the known bounds of an extent.
    explicit ElementBounds(std::function<std::optional<Interval>(DimExpr const&)> ofExtent)
        : ofExtent_(std::move(ofExtent)) {}

    /// Nodes are visited in order.
    void learn(Node const& node);
    Interval of(Tensor const& tensor) const;

private:
    std::vector<Interval> outputsOf(Node const& node) const;
    Interval ofReduced(Node const& node) const;
    Interval ofSteps(Node const& node) const;
    Interval spanOfInputs(Node const& node, size_t first) const;
    /// From 0 to the number of elements in these axes.
    Interval countOf(Shape const& axes) const;

    std::function<std::optional<Interval>(DimExpr const&)> ofExtent_;
    std::unordered_map<Tensor const*, Interval> known_;
};

} // namespace tenon
