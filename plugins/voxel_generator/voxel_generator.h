// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of VoxelGeneratorPlugin; see voxel_generator.cpp.
#pragma once

#include "gpu_finder.h"

namespace tenon::plugins {

/// Whether a frame can have this many points, of `most`.
constexpr bool isPointCount(int32_t count, int64_t most) { return count >= 0 && count <= most; }

/// The pillars' grid. Their coordinates are 0, z, row, column.
struct VoxelGrid {
    float least[3], most[3], size[3]; ///< Along x, y, z.
    int32_t columns, rows;

    constexpr int64_t cells() const { return int64_t{columns} * rows; }

    /// The pillar's index, row by row; -1 for a point outside of all.
    constexpr int32_t cellOf(float const* point) const {
        if (!isInRange(point[0], 0) || !isInRange(point[1], 1) || !isInRange(point[2], 2)) return -1;
        auto const x = int32_t((point[0] - least[0]) / size[0]), y = int32_t((point[1] - least[1]) / size[1]);
        return x < columns && y < rows ? y * columns + x : -1;
    }
    constexpr void writePlace(int32_t cell, int32_t* place) const {
        place[0] = place[1] = 0;
        place[2] = cell / columns;
        place[3] = cell % columns;
    }
    constexpr double centre(int axis, int32_t const* place) const {
        return (place[3 - axis] + 0.5) * size[axis] + least[axis];
    }

private:
    constexpr bool isInRange(float place, int axis) const { return place >= least[axis] && place < most[axis]; }
};

/// Of a pillar: x, y, z of the mean of its points, and of its centre.
struct VoxelMiddles {
    double at[6];

    /// Of a point relative to them, element by element.
    constexpr float offset(float const* point, int64_t index) const { return float(point[index % 3] - at[index]); }
};

/// The state on the GPU.
struct VoxelWork {
    VoxelWork(int64_t frames, int64_t cells, int64_t mostVoxels, int64_t mostPoints, GpuPieces& pieces)
        : finder(frames, cells, pieces), voxelIn(pieces.take<int32_t>({frames, cells})),
          pointIn(pieces.take<uint32_t>({frames, mostVoxels, mostPoints})) {}

    GpuFinder finder;  ///< Of cells that contain points.
    int32_t* voxelIn;  ///< Of each cell the voxel's number plus 1, or 0.
    uint32_t* pointIn; ///< Of each voxel the indices of its points.
};

/// Enqueues it on the stream. A frame whose point count is invalid has no points.
/// \param inputs, outputs those of the plugin
void generateVoxelsOnGpu(VoxelGrid const& grid, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                         VoxelWork const& work, cudaStream_t stream);

} // namespace tenon::plugins
