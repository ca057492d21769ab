// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "voxel_generator/voxel_generator.h"

#include "finder.cuh"

namespace tenon::plugins {
namespace {

constexpr uint32_t kNone = ~0U; // for no point; no point has so high an index
constexpr int kWarps = kThreads / kWarp;

struct Generator {
    Generator(VoxelGrid const& grid, PluginBase::Tensors inputs, PluginBase::Tensors outputs, VoxelWork const& work)
        : grid(grid), frames(inputs[0][0]), points(inputs[0][1]), channels(inputs[0][2]), mostVoxels(outputs[0][1]),
          mostPoints(outputs[0][2]), features(int32_t(outputs[0][3])), from(inputs[0].floats()),
          counts(inputs[1].ints()), voxels(outputs[0].floats()), places(outputs[1].ints()), filled(outputs[2].ints()),
          voxelIn(work.voxelIn), pointIn(work.pointIn) {}

    /// The cell of a point among those of all frames; -1 for a point outside of all cells.
    __device__ int64_t cellOf(int64_t number) const {
        int64_t const frame = number / points;
        if (!isPointCount(counts[frame], points) || number % points >= counts[frame]) return -1;
        int32_t const cell = grid.cellOf(from + number * channels);
        return cell < 0 ? -1 : frame * grid.cells() + cell;
    }

    // Numbers the pillars with points by position.
    __device__ void visit(int64_t frame, int64_t cell, int64_t voxel) const {
        bool const isKept = voxel < mostVoxels;
        voxelIn[frame * grid.cells() + cell] = isKept ? int32_t(voxel) + 1 : 0;
        if (isKept) grid.writePlace(int32_t(cell), places + (frame * mostVoxels + voxel) * 4);
    }
    __device__ void end(int64_t frame, int64_t total) const { filled[frame] = int32_t(std::min(total, mostVoxels)); }

    /// Inserts a point into the sorted list of the first points of its voxel, in any order of arrival: entries only
    /// decrease, and a replaced one moves on, so the list ends with the lowest indices.
    __device__ void collect(int64_t number) const {
        int64_t const cell = cellOf(number);
        int64_t const voxel = cell < 0 ? -1 : voxelIn[cell] - 1;
        if (voxel < 0) return;
        uint32_t* const list = pointIn + (number / points * mostVoxels + voxel) * mostPoints;
        auto point = uint32_t(number % points);
        for (int64_t i = lowerPoints(list, point); i < mostPoints && point != kNone; ++i)
            point = std::max(atomicMin(list + i, point), point);
    }

    // At least this many of the list are lower, and stay so.
    __device__ int64_t lowerPoints(uint32_t const volatile* list, uint32_t point) const {
        int64_t first = 0, last = mostPoints;
        while (first < last) {
            int64_t const middle = (first + last) / 2;
            if (list[middle] < point)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    __device__ void writeVoxel(int64_t voxel, VoxelMiddles& middles) const;
    __device__ void writeFeatures(int64_t voxel, int64_t count, VoxelMiddles const& middles) const;

    /// Of the voxel's frame.
    __device__ float const* pointsOf(int64_t voxel) const { return from + voxel / mostVoxels * points * channels; }

    VoxelGrid grid;
    int64_t frames, points, channels, mostVoxels, mostPoints;
    int32_t features;
    float const* from;
    int32_t const* counts;
    float* voxels;
    int32_t *places, *filled, *voxelIn;
    uint32_t* pointIn;
};

__device__ double sumOfWarp(double value) {
    for (int apart = kWarp / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(~0U, value, apart);
    return value;
}

/// For a warp.
__device__ void Generator::writeVoxel(int64_t voxel, VoxelMiddles& middles) const {
    int const lane = threadIdx.x % kWarp;
    uint32_t const* const list = pointIn + voxel * mostPoints;
    int32_t count = 0;
    double sums[3] = {};
    for (int64_t i = lane; i < mostPoints && list[i] != kNone; i += kWarp, ++count)
        for (int axis = 0; axis < 3; ++axis) sums[axis] += pointsOf(voxel)[int64_t{list[i]} * channels + axis];
    count = __reduce_add_sync(~0U, count);
    for (int axis = 0; axis < 3; ++axis) {
        double const sum = sumOfWarp(sums[axis]);
        if (lane != axis || count == 0) continue;
        middles.at[axis] = sum / count;
        middles.at[3 + axis] = grid.centre(axis, places + voxel * 4);
    }
    __syncwarp();
    writeFeatures(voxel, count, middles);
    __syncwarp(); // all have read the means
}

__device__ void Generator::writeFeatures(int64_t voxel, int64_t count, VoxelMiddles const& middles) const {
    int const lane = threadIdx.x % kWarp;
    uint32_t const* const list = pointIn + voxel * mostPoints;
    int64_t const own = std::min<int64_t>(channels, features), size = mostPoints * features;
    int64_t point = lane / features;
    int32_t feature = lane % features;
    for (int64_t i = lane; i < size; i += kWarp) {
        float value = 0; // where there is no point
        if (point < count) {
            float const* const numbers = pointsOf(voxel) + int64_t{list[point]} * channels;
            value = feature < own ? numbers[feature] : middles.offset(numbers, feature - own);
        }
        voxels[voxel * size + i] = value;
        point += kWarp / features;
        feature += kWarp % features;
        if (feature >= features) feature -= features, ++point;
    }
}

__global__ void writeVoxels(__grid_constant__ Generator const generator) {
    __shared__ VoxelMiddles middles[kWarps];
    int const warp = threadIdx.x / kWarp;
    int64_t const step = int64_t{gridDim.x} * kWarps;
    for (int64_t i = int64_t{blockIdx.x} * kWarps + warp; i < generator.frames * generator.mostVoxels; i += step)
        generator.writeVoxel(i, middles[warp]);
}

} // namespace

void generateVoxelsOnGpu(VoxelGrid const& grid, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                         VoxelWork const& work, cudaStream_t stream) {
    Generator const generator(grid, inputs, outputs, work);
    if (generator.frames == 0) return;
    int64_t const cells = generator.frames * grid.cells(), voxels = generator.frames * generator.mostVoxels;
    int64_t const points = generator.frames * generator.points;
    fillBytes(work.voxelIn, size_t(cells) * sizeof *work.voxelIn, stream);
    fillBytes(work.pointIn, size_t(voxels * generator.mostPoints) * sizeof *work.pointIn, stream, 0xFF);
    fillBytes(outputs[1].data, size_t(outputs[1].count()) * sizeof(int32_t), stream);
    launchForEach(points, stream, [=] __device__(int64_t number) {
        int64_t const cell = generator.cellOf(number);
        if (cell >= 0) generator.voxelIn[cell] = 1;
    });
    auto const isFilled = [voxelIn = work.voxelIn, ofFrame = grid.cells()] __device__(int64_t frame, int64_t cell) {
        return voxelIn[frame * ofFrame + cell] != 0;
    };
    findThose(work.finder, isFilled, stream);
    visitThose(work.finder, generator, stream);
    launchForEach(points, stream, [=] __device__(int64_t number) { generator.collect(number); });
    writeVoxels<<<blocksFor(voxels, kWarps), kThreads, 0, stream>>>(generator);
    checkLaunch();
}

} // namespace tenon::plugins
