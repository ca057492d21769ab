// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/dims.h"

namespace tenon {

/// The computation of all kernels of AffineGrid; constexpr, so that GPU kernels can call it.
struct AffinePoints {
    static constexpr int kMost = 3;

    int axes = 0;
    bool alignCorners = false;
    int64_t extents[kMost] = {};
    int64_t count = 1; // of a batch item

    AffinePoints() = default;
    AffinePoints(Dims const& grid, bool align) : axes(grid.rank() - 2), alignCorners(align) {
        for (int axis = 0; axis < axes; ++axis) count *= extents[axis] = grid[1 + axis];
    }

    /// Writes the coordinates of a point, x first, by the matrix of its batch item.
    template <class T, class Write> constexpr void at(T const* theta, int64_t point, Write const& write) const {
        float base[kMost] = {};
        for (int axis = axes - 1; axis >= 0; point /= extents[axis--])
            base[axes - 1 - axis] = coordinate(point % extents[axis], extents[axis]);
        for (int i = 0; i < axes; ++i) {
            T const* const row = theta + i * (axes + 1);
            auto sum = static_cast<float>(row[axes]);
            for (int j = 0; j < axes; ++j) sum += static_cast<float>(row[j]) * base[j];
            write(i, sum);
        }
    }

private:
    constexpr float coordinate(int64_t i, int64_t extent) const {
        if (!alignCorners) return static_cast<float>(2 * i + 1) / static_cast<float>(extent) - 1;
        return i == 0 ? -1.F : 2 * static_cast<float>(i) / static_cast<float>(extent - 1) - 1;
    }
};

} // namespace tenon
