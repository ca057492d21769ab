// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "pillar_scatter/pillar_scatter.h"

#include "cuda.cuh"

namespace tenon::plugins {
namespace {

constexpr int64_t kChannels = 16; // that a thread writes
constexpr int32_t kNone = -1;     // of all bits 1

/// Of several pillars at a position the last one counts, in any order of threads.
void findLastPillars(PluginBase::Tensors inputs, PluginBase::Tensor const& map, int32_t* last, cudaStream_t stream) {
    int64_t const most = inputs[0][1], height = map[2], width = map[3];
    int32_t const *coordinates = inputs[1].ints(), *counts = inputs[2].ints();
    launchForEach(inputs[0][0] * most, stream, [=] __device__(int64_t i) {
        int64_t const picture = i / most, pillar = i % most;
        if (!isPillarCount(counts[picture], most) || pillar >= counts[picture]) return;
        int64_t const place = placeOfPillar(coordinates + i * 4, height, width);
        if (place >= 0) atomicMax(last + picture * height * width + place, int32_t(pillar));
    });
}

/// Each thread writes some channels of one position, so that neighbours write neighbouring positions.
template <class T>
void writeMap(PluginBase::Tensor const& voxels, PluginBase::Tensor const& map, int32_t const* last,
              cudaStream_t stream) {
    int64_t const pillars = voxels[1], channels = voxels[2], places = map.count(2, 4);
    int64_t const groups = (channels + kChannels - 1) / kChannels;
    auto const* const from = static_cast<T const*>(voxels.data);
    auto* const to = static_cast<T*>(map.data);
    launchForEach(map[0] * groups * places, stream, [=] __device__(int64_t i) {
        int64_t const place = i % places, picture = i / places / groups, first = i / places % groups * kChannels;
        int32_t const pillar = last[picture * places + place];
        T const* const features = from + (picture * pillars + pillar) * channels;
        T* const own = to + picture * channels * places + place;
        int64_t const end = std::min(first + kChannels, channels);
#pragma unroll 4
        for (int64_t channel = first; channel < end; ++channel)
            own[channel * places] = pillar == kNone ? fromFloat<T>(0) : features[channel];
    });
}

} // namespace

void scatterPillarsOnGpu(PluginBase::Tensors inputs, PluginBase::Tensor const& map, int32_t* last,
                         cudaStream_t stream) {
    if (map.count() == 0) return;
    fillBytes(last, size_t(map[0] * map.count(2, 4)) * sizeof *last, stream, 0xFF);
    findLastPillars(inputs, map, last, stream);
    dispatchReal(map.type, [&]<class T>(T) { writeMap<T>(inputs[0], map, last, stream); });
}

} // namespace tenon::plugins
