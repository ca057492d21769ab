// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/shape_program.h"

#include <span>
#include <vector>

namespace tenon {

/// Consecutive steps whose shapes are all known when the first of them runs, except for the data-dependent extents of
/// their outputs; and the data to read after them, for later steps or the caller.
struct SegmentPlan {
    size_t first = 0;
    size_t end = 0;
    std::vector<Node const*> sized; // nodes whose size tensors are read
    std::vector<int> counts;        // their size tensors, by number
    std::vector<int> elements;      // measured tensors that are read, by number

    bool reads() const { return !sized.empty() || !elements.empty(); }
};

/// Divides the steps of an engine into segments: each is as long as it can be, so that several sizes are read at once.
/// There is at least one. A segment may be empty: only elements of inputs are read then. `steps` are in order of
/// execution.
std::vector<SegmentPlan> planSegments(std::span<Node const* const> steps, ShapeProgram const& program);

} // namespace tenon
