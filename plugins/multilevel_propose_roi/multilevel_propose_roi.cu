// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "multilevel_propose_roi.h"

#include "proposals.cuh"

namespace tenon::plugins::multilevel_propose_roi {
namespace {

// The regions of all levels.
template <class T> struct Pyramid {
    Regions<T> levels[kLevels];

    __device__ Box boxOf(int64_t picture, Candidate const& candidate) const {
        return levels[candidate.label].boxOf(picture, candidate);
    }
    /// By index, one level after another.
    __device__ Candidate operator()(int64_t picture, int64_t i) const {
        size_t level = 0;
        for (; i >= levels[level].count(); ++level) i -= levels[level].count();
        return GpuCandidates<Regions<T>>{levels[level]}(picture, i);
    }
};

} // namespace

void proposeOnGpu(Settings const& settings, PyramidAnchors const& anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& proposals, void* workspace, cudaStream_t stream) {
    int64_t count = 0;
    for (LevelAnchors const& level : anchors) count += level.count();
    dispatchReal(proposals.type, [&]<class T>(T) {
        Pyramid<T> regions;
        for (size_t level = 0; level < kLevels; ++level)
            regions.levels[level] = Regions<T>(settings, anchors, inputs, level);
        GpuBoxes<T, Pyramid<T>> const boxes{regions, proposals[1], static_cast<T*>(proposals.data)};
        chooseOnGpu(settings.limits, extentsOf(anchors, proposals[0]), count, regions, regions, boxes, workspace,
                    stream);
    });
}

} // namespace tenon::plugins::multilevel_propose_roi
