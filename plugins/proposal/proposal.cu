// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "proposal.h"

#include "proposals.cuh"

namespace tenon::plugins::proposal {
namespace {

// Padding is 0.
template <class T> struct Shares {
    Regions<T> regions;
    Pair last;
    int64_t rows; // of an image
    T* to;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        set(picture, place, sharesOf(regions.boxOf(picture, kept), last));
    }
    __device__ void leave(int64_t picture, int64_t place) const { set(picture, place, {}); }
    __device__ void count(int64_t, int64_t) const {}

private:
    __device__ void set(int64_t picture, int64_t place, std::array<float, 4> const& shares) const {
        for (int i = 0; i < 4; ++i) to[(picture * rows + place) * 4 + i] = fromFloat<T>(shares[i]);
    }
};

} // namespace

void proposeOnGpu(Settings const& settings, AnyAnchors anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& rois, void* workspace, cudaStream_t stream) {
    GpuPieces pieces(workspace);
    AnyAnchors const copied = copiedSizes(anchors, pieces, stream);
    dispatchReal(rois.type, [&]<class T>(T) {
        Regions<T> const regions(settings, copied, inputs);
        Shares<T> const shares{regions, settings.last, rois[1], static_cast<T*>(rois.data)};
        chooseOnGpu(settings.limits, inputs[0][0], regions, shares, pieces, stream);
    });
}

} // namespace tenon::plugins::proposal
