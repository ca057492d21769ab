// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// PillarScatterPlugin: features of pillars, scattered to the pillars' positions in an otherwise zero image, as in
// "PointPillars" (arXiv 1812.05784), section 2.1. Names and coordinates: the README of the published plugin.
#include "pillar_scatter.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

class PillarScatter final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("dense_shape", denseShape_); }

    void check() const override {
        if (denseShape_.size() != 2 || denseShape_[0] < 1 || denseShape_[1] < 1)
            throw std::invalid_argument("dense_shape has to be given, two numbers, height and width, 1 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("voxels", "[N,P,C]")
            .input("voxel_coords", "[N,P,4]", Kind::kInt32)
            .input("num_pillar", "[N]", Kind::kInt32)
            .output("dense_feature_map", "[N,C,?,?]");
    }

    void outputShapes(Shapes, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        outputs[0].d[2] = builder.constant(denseShape_[0]);
        outputs[0].d[3] = builder.constant(denseShape_[1]);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& voxels = inputs[0];
        findPlaces(inputs);
        int64_t const channels = voxels[2], size = outputs[0].count(2, 4);
        parallelFor(voxels[0] * channels, rowsPerThread(size), [&](int64_t begin, int64_t end) {
            // one map at a time, which stays in a cache until all its pillars are written
            for (int64_t i = begin; i < end; ++i) {
                int64_t const picture = i / channels;
                float* const map = outputs[0].floats() + i * size;
                float const* const of = voxels.floats() + picture * voxels[1] * channels + i % channels;
                std::vector<int64_t> const& places = places_[size_t(picture)];
                std::fill_n(map, size, 0.0F);
                for (size_t pillar = 0; pillar < places.size(); ++pillar)
                    map[places[pillar]] = of[int64_t(pillar) * channels];
            }
        });
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        GpuPieces pieces;
        pieces.take<int32_t>({largestInputs[0].d[0], denseShape_[0], denseShape_[1]});
        return pieces.bytes();
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) scatterPillarsOnGpu(inputs, outputs[0], static_cast<int32_t*>(workspace), stream);
    }

private:
    static int64_t validPillars(Tensor const& counts, int64_t picture, int64_t most) {
        int32_t const count = counts.ints()[picture];
        if (isPillarCount(count, most)) return count;
        throw std::invalid_argument("num_pillar[" + std::to_string(picture) + "] is " + std::to_string(count) +
                                    "; expected 0 to " + std::to_string(most) + ", the extent of voxels");
    }

    int64_t placeOf(int32_t const* coordinates, int64_t picture, int64_t pillar) const {
        int32_t const y = coordinates[2], x = coordinates[3];
        int64_t const place = placeOfPillar(coordinates, denseShape_[0], denseShape_[1]);
        if (place >= 0) return place;
        throw std::invalid_argument("voxel_coords[" + std::to_string(picture) + "," + std::to_string(pillar) +
                                    "] is row " + std::to_string(y) + ", column " + std::to_string(x) +
                                    "; expected a position in dense_shape, " + std::to_string(denseShape_[0]) + " x " +
                                    std::to_string(denseShape_[1]));
    }

    void findPlaces(Tensors inputs) {
        Tensor const& voxels = inputs[0];
        places_.resize(size_t(voxels[0]));
        for (int64_t picture = 0; picture < voxels[0]; ++picture) {
            std::vector<int64_t>& places = places_[size_t(picture)];
            places.resize(size_t(validPillars(inputs[2], picture, voxels[1])));
            int32_t const* const coordinates = inputs[1].ints() + picture * voxels[1] * 4;
            for (size_t pillar = 0; pillar < places.size(); ++pillar)
                places[pillar] = placeOf(coordinates + pillar * 4, picture, int64_t(pillar));
        }
    }

    std::vector<int32_t> denseShape_ = {0, 0};
    std::vector<std::vector<int64_t>> places_; // of the pillars of each image
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<PillarScatter>("PillarScatterPlugin", "1", PluginGeneration::kV2DynamicExt, "from 8.4")};

} // namespace

std::span<StandardPlugin const> pillarScatterPlugins() { return kDefinitions; }

} // namespace tenon::plugins
