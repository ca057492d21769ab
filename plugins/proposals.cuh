// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among regions of proposals.h on a GPU: the same regions, in the same order.
#pragma once

#include "nms.cuh"
#include "proposals.h"

#include <array>

namespace tenon::plugins {

/// The boxes of regions, for GpuNms::suppress().
template <typename Regions> struct GpuRegions : GpuExtents<Regions> {
    GpuRegions(Regions const& regions, Selection::Limits const& limits)
        : GpuExtents<Regions>(regions, limits.rules()), border(limits.border) {}

    float border;

    __device__ Extent at(int64_t picture, Candidate const& candidate) const {
        Box const box = this->boxOf.boxOf(picture, candidate);
        constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
        return isNumber(box) ? Extent(grown(box, border), 0) : Extent(kNone, kNone, kNone, kNone, kNone);
    }
    __device__ bool isThere(Extent const& extent) const { return extent.left == extent.left; }
};

/// The candidate of a region.
template <typename Regions> struct GpuCandidates {
    Regions regions;

    __device__ Candidate operator()(int64_t picture, int64_t i) const {
        Sureness const sureness = regions.surenessOf(picture, i);
        return {sureness.score, int32_t(i), sureness.label};
    }
};

/// The kept boxes, [N,rows,4]: one corner and the other; padding is 0.
template <typename Real, typename Regions> struct GpuBoxes {
    Regions regions;
    int64_t rows;
    Real* to;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        set(picture, place, regions.boxOf(picture, kept));
    }
    __device__ void leave(int64_t picture, int64_t place) const { set(picture, place, {}); }
    __device__ void count(int64_t, int64_t) const {}

private:
    __device__ void set(int64_t picture, int64_t place, Box const& box) const {
        Real* edge = to + (picture * rows + place) * 4;
        for (float value : {box.x1, box.y1, box.x2, box.y2}) *edge++ = fromFloat<Real>(value);
    }
};

/// Enqueues a choice among `count` regions of each image, by the rules of Selection.
/// \param extents the classes, and the number of regions of each
/// \param pieces of a workspace of gpuNmsWorkspace() bytes
/// \param candidateOf candidateOf(picture, i)
/// \param outputs the argument of GpuNms::write()
template <typename Regions, typename CandidateOf, typename Outputs>
void chooseOnGpu(Selection::Limits const& limits, NmsExtents const& extents, int64_t count, Regions const& regions,
                 CandidateOf const& candidateOf, Outputs const& outputs, GpuPieces pieces, cudaStream_t stream) {
    GpuNms const nms(limits.rules(), extents, pieces, stream);
    nms.find(count, candidateOf);
    nms.suppress(GpuRegions<Regions>(regions, limits));
    nms.write(outputs);
}

/// The same for regions with one score, all of one class.
template <typename Regions, typename Outputs>
void chooseOnGpu(Selection::Limits const& limits, int64_t pictures, Regions const& regions, Outputs const& outputs,
                 GpuPieces pieces, cudaStream_t stream) {
    chooseOnGpu(limits, {pictures, 1, regions.count()}, regions.count(), regions, GpuCandidates<Regions>{regions},
                outputs, pieces, stream);
}

/// Enqueues a copy of sizes of anchors: as arguments of kernels, which a graph keeps.
/// \return the anchors with these sizes, in a piece that takeSizes() allocates
inline AnyAnchors copiedSizes(AnyAnchors anchors, GpuPieces& pieces, cudaStream_t stream) {
    constexpr int64_t kAtOnce = 256;
    Anchors::Size* const to = takeSizes(anchors.each, pieces);
    for (int64_t first = 0; first < anchors.each; first += kAtOnce) {
        int64_t const size = std::min(anchors.each - first, kAtOnce);
        std::array<Anchors::Size, kAtOnce> some{};
        std::copy_n(anchors.sizes + first, size, some.begin());
        launchForEach(size, stream, [=] __device__(int64_t i) { to[first + i] = some[size_t(i)]; });
    }
    anchors.sizes = to;
    return anchors;
}

} // namespace tenon::plugins
