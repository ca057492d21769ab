// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// VoxelGeneratorPlugin: the points of each frame, assigned to the pillars that contain them, with the features of
// "PointPillars" (arXiv 1812.05784), section 2.1: a point's own values, its offset from the mean of the points of its
// pillar, and from the pillar's centre. Names and coordinates: the README of the published plugin.
#include "voxel_generator.h"

#include "gpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

// Of one frame: its points are read, all others written.
struct Frame {
    float const* points; // [count,channels]
    int64_t count, channels;
    float* voxels;        // [max_voxels,max_num_points_per_voxel,voxel_feature_num]
    int32_t* coordinates; // [max_voxels,4]
    int32_t* filled;
};

class VoxelGenerator final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("max_num_points_per_voxel", mostPoints_);
        visit("max_voxels", mostVoxels_);
        visit("point_cloud_range", range_);
        visit("voxel_feature_num", features_);
        visit("voxel_size", size_);
    }

    void check() const override {
        if (mostPoints_ < 1 || mostVoxels_ < 1 || features_ < 1)
            throw std::invalid_argument(
                "max_num_points_per_voxel, max_voxels and voxel_feature_num have to be given, 1 or more");
        if (size_.size() != 3 || !std::ranges::all_of(size_, [](float size) { return size > 0; }))
            throw std::invalid_argument("voxel_size has to be given, three numbers above 0: x, y, z");
        if (range_.size() != 6 || !(extent(0) > 0 && extent(1) > 0 && extent(2) > 0))
            throw std::invalid_argument(
                "point_cloud_range has to be given, six numbers: the minimum x, y, z, then larger x, y, z");
        constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
        auto const isTooLarge = [this](size_t axis) { return !(extent(axis) / size_[axis] < float(kMost)); };
        if (isTooLarge(0) || isTooLarge(1) || int64_t(gridSize(0)) * gridSize(1) > kMost)
            throw std::invalid_argument(
                "point_cloud_range holds more pillars than fit in 32 bits; voxel_size is too small");
    }

    Signature signature() const override {
        return Signature()
            .input("points", "[N,M,C]", Kind::kFloat)
            .input("num_points", "[N]", Kind::kInt32)
            .output("voxels", "[N,max_voxels,max_num_points_per_voxel,voxel_feature_num]", Kind::kFloat)
            .output("voxel_coords", "[N,max_voxels,4]", Kind::kInt32)
            .output("num_pillar", "[N]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[2];
        if (channels >= 0 && (channels < 3 || features_ - 6 > channels))
            throw std::invalid_argument("points has " + std::to_string(channels) +
                                        " numbers for each point; expected 3 or more, x, y and z first, and at least "
                                        "voxel_feature_num - 6, " +
                                        std::to_string(features_ - 6));
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& points = inputs[0];
        int64_t const frameSize = outputs[0].count(1, 4);
        grid_ = grid();
        for (int64_t n = 0; n < points[0]; ++n) {
            Frame const frame{points.floats() + n * points.count(1, 3),
                              validPoints(inputs[1], n, points[1]),
                              points[2],
                              outputs[0].floats() + n * frameSize,
                              outputs[1].ints() + n * mostVoxels_ * 4,
                              outputs[2].ints() + n};
            findPillars(frame);
            collectPoints();
            writeVoxels(frame);
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        GpuPieces pieces;
        static_cast<void>(VoxelWork(largestInputs[0].d[0], grid().cells(), mostVoxels_, mostPoints_, pieces));
        return pieces.bytes();
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        GpuPieces pieces(workspace);
        VoxelGrid const grid = this->grid();
        VoxelWork const work(inputs[0][0], grid.cells(), mostVoxels_, mostPoints_, pieces);
        if constexpr (kHasKernels) generateVoxelsOnGpu(grid, inputs, outputs, work, stream);
    }

private:
    float extent(size_t axis) const { return range_[axis + 3] - range_[axis]; }
    // The number of pillars; a half is rounded to even, as by numpy.
    int32_t gridSize(size_t axis) const { return int32_t(std::nearbyint(extent(axis) / size_[axis])); }

    VoxelGrid grid() const {
        VoxelGrid grid{{}, {}, {}, gridSize(0), gridSize(1)};
        std::copy_n(range_.data(), 3, grid.least);
        std::copy_n(range_.data() + 3, 3, grid.most);
        std::copy_n(size_.data(), 3, grid.size);
        return grid;
    }

    static int64_t validPoints(Tensor const& counts, int64_t frame, int64_t most) {
        int32_t const count = counts.ints()[frame];
        if (isPointCount(count, most)) return count;
        throw std::invalid_argument("num_points[" + std::to_string(frame) + "] is " + std::to_string(count) +
                                    "; expected 0 to " + std::to_string(most) + ", the extent of points");
    }

    // Numbers the pillars with points by position: voxelIn_ of a cell is the number plus 1, or 0.
    void findPillars(Frame const& frame) {
        cellOfPoint_.resize(size_t(frame.count));
        parallelFor(frame.count, rowsPerThread(16), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                cellOfPoint_[size_t(i)] = grid_.cellOf(frame.points + i * frame.channels);
        });
        voxelIn_.assign(size_t(grid_.cells()), 0);
        for (int32_t cell : cellOfPoint_)
            if (cell >= 0) voxelIn_[size_t(cell)] = 1;
        int32_t filled = 0;
        for (size_t cell = 0; cell < voxelIn_.size() && filled < mostVoxels_; ++cell) {
            if (voxelIn_[cell] == 0) continue;
            grid_.writePlace(int32_t(cell), frame.coordinates + int64_t(filled) * 4);
            voxelIn_[cell] = ++filled;
            if (filled == mostVoxels_) std::fill(voxelIn_.begin() + int64_t(cell) + 1, voxelIn_.end(), 0);
        }
        std::fill_n(frame.coordinates + int64_t(filled) * 4, int64_t(mostVoxels_ - filled) * 4, 0);
        *frame.filled = filled;
    }

    // The first points of each pillar, in their order.
    void collectPoints() {
        pointCount_.assign(size_t(mostVoxels_), 0);
        pointIn_.resize(size_t(mostVoxels_) * size_t(mostPoints_));
        for (size_t i = 0; i < cellOfPoint_.size(); ++i) {
            int32_t const voxel = cellOfPoint_[i] < 0 ? -1 : voxelIn_[size_t(cellOfPoint_[i])] - 1;
            if (voxel < 0 || pointCount_[size_t(voxel)] == mostPoints_) continue;
            pointIn_[size_t(voxel) * size_t(mostPoints_) + size_t(pointCount_[size_t(voxel)]++)] = int32_t(i);
        }
    }

    void writeVoxels(Frame const& frame) const {
        int64_t const voxelSize = int64_t(mostPoints_) * features_;
        parallelFor(mostVoxels_, rowsPerThread(voxelSize), [&](int64_t begin, int64_t end) {
            for (int64_t voxel = begin; voxel < end; ++voxel) writeVoxel(frame, voxel);
        });
    }

    void writeVoxel(Frame const& frame, int64_t voxel) const {
        int32_t const count = pointCount_[size_t(voxel)];
        int32_t const* const points = pointIn_.data() + voxel * mostPoints_;
        float* out = frame.voxels + voxel * mostPoints_ * features_;
        VoxelMiddles middles{};
        for (int axis = 0; axis < 3; ++axis) {
            double sum = 0;
            for (int32_t i = 0; i < count; ++i) sum += frame.points[points[i] * frame.channels + axis];
            middles.at[axis] = sum / count;
            middles.at[3 + axis] = grid_.centre(axis, frame.coordinates + voxel * 4);
        }
        for (int32_t i = 0; i < count; ++i, out += features_)
            writePoint(frame.points + points[i] * frame.channels, frame.channels, middles, out);
        std::fill_n(out, int64_t(mostPoints_ - count) * features_, 0.0F);
    }

    void writePoint(float const* point, int64_t channels, VoxelMiddles const& middles, float* out) const {
        int64_t const own = std::min<int64_t>(channels, features_);
        out = std::copy_n(point, own, out);
        for (int64_t i = 0; i < features_ - own; ++i) *out++ = middles.offset(point, i);
    }

    int32_t mostPoints_ = 0, mostVoxels_ = 0, features_ = 0;
    std::vector<float> range_, size_;

    VoxelGrid grid_{};                 // of the run
    std::vector<int32_t> cellOfPoint_; // of each point, the pillar's index in the grid, or -1
    std::vector<int32_t> voxelIn_;     // of each pillar of the grid, its index among the outputs
    std::vector<int32_t> pointCount_;  // of each voxel
    std::vector<int32_t> pointIn_;     // of each voxel, room for max_num_points_per_voxel
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<VoxelGenerator>("VoxelGeneratorPlugin", "1", PluginGeneration::kV2DynamicExt, "from 8.4")};

} // namespace

std::span<StandardPlugin const> voxelGeneratorPlugins() { return kDefinitions; }

} // namespace tenon::plugins
