// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

#include <vector>

namespace tenon {

/// How a result and the operands that broadcast to it are traversed in the memory order of the result.
struct MemoryAxes {
    Dims extents;              // of the result, outermost first; at most kMaxRank axes
    std::vector<Dims> strides; // of each operand, in elements: 0 where it broadcasts

    /// The number of elements of the axes from `axis` on.
    int64_t inner(int axis) const { return extents.volume(axis, extents.rank()); }
};

struct OperandView {
    Dims dims;
    Format format;
};

/// Axes of the result in memory order (a blocked one has an axis for the lanes, padding included), those of extent 1
/// dropped, neighbours merged wherever all operands allow it. Operands are linear, or of the result's rank and format,
/// or single elements.
MemoryAxes memoryAxes(Dims const& result, Format const& format, std::vector<OperandView> const& operands);

} // namespace tenon
