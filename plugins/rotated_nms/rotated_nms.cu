// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "rotated_nms.h"

#include "nms.cuh"

namespace tenon::plugins::rotated_nms {
namespace {

// For GpuNms::suppress().
template <class T> struct Shapes {
    using Shape = RotatedExtent;

    Boxes<T> boxes;
    float limit;

    __device__ Shape at(int64_t picture, Candidate const& candidate) const { return Shape(boxes(picture, candidate)); }
    __device__ bool isThere(Shape const&) const { return true; }
    __device__ bool mayOverlap(Shape const& kept, Shape const& box) const {
        double const right = box.x - kept.x, down = box.y - kept.y, reach = kept.radius + box.radius;
        return limit < 0 || !(right * right + down * down > reach * reach);
    }
    __device__ bool overlaps(Shape const& kept, Shape const& box) const { return plugins::overlaps(kept, box, limit); }
};

template <class T> struct Detections {
    Boxes<T> boxes;
    bool areClipped;
    int64_t rows; // of an image
    T* dets;
    int32_t* labels;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        set(picture, place, Detection::of(boxes(picture, kept), kept, areClipped));
    }
    __device__ void leave(int64_t picture, int64_t place) const { set(picture, place, Detection::none()); }
    __device__ void count(int64_t, int64_t) const {}

private:
    __device__ void set(int64_t picture, int64_t place, Detection const& detection) const {
        int64_t const row = picture * rows + place;
        for (int i = 0; i < 5; ++i) dets[row * 6 + i] = fromFloat<T>(detection.box[i]);
        dets[row * 6 + 5] = fromFloat<T>(detection.score);
        labels[row] = detection.label;
    }
};

// The first row of each list, and the number of all rows. One warp.
__global__ void findStarts(__grid_constant__ GpuLists const lists, int64_t* starts, int32_t* count) {
    int64_t before = 0;
    for (int64_t first = 0; first < lists.count(); first += kWarp) {
        int64_t const list = first + threadIdx.x, own = list < lists.count() ? lists.kept[list] : 0;
        int64_t sum = own;
        for (int apart = 1; apart < kWarp; apart *= 2) {
            int64_t const other = __shfl_up_sync(~0U, sum, apart);
            if (int(threadIdx.x) >= apart) sum += other;
        }
        if (list < lists.count()) starts[list] = before + sum - own;
        before += __shfl_sync(~0U, sum, kWarp - 1);
    }
    if (threadIdx.x == 0) *count = int32_t(before);
}

void writeRows(GpuLists const& lists, int64_t* starts, PluginBase::Tensors outputs, cudaStream_t stream) {
    findStarts<<<1, kWarp, 0, stream>>>(lists, starts, outputs[1].ints());
    checkLaunch();
    int64_t* const rows = outputs[0].longs();
    launchForEach(lists.count() * lists.room, stream, [=] __device__(int64_t i) {
        int64_t const list = i / lists.room, place = i % lists.room;
        if (place >= lists.kept[list]) return;
        Candidate const kept = lists.coding().candidate(lists.keys[i]);
        int64_t* const row = rows + (starts[list] + place) * 3;
        row[0] = lists.pictureOf(list), row[1] = kept.label, row[2] = kept.box;
    });
}

} // namespace

void selectOnGpu(NmsRules const& rules, PluginBase::Tensors inputs, PluginBase::Tensors outputs, void* workspace,
                 cudaStream_t stream) {
    NmsExtents const extents = extentsOf(inputs[1].dims);
    GpuPieces pieces(workspace);
    int64_t* const starts = takeStarts(extents, pieces);
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        GpuNms const nms(rules, extents, pieces, stream);
        nms.find(GpuScores<T>{static_cast<T const*>(inputs[1].data), true});
        nms.suppress(Shapes<T>{Boxes<T>(inputs[0]), rules.overlapLimit});
    });
    writeRows(gpuLists(rules, extents, pieces), starts, outputs, stream);
}

void detectOnGpu(NmsRules const& rules, bool areClipped, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream) {
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        Boxes<T> const boxes(inputs[0]);
        GpuNms const nms(rules, NmsExtents::of(inputs[1].dims), workspace, stream);
        nms.find(GpuScores<T>{static_cast<T const*>(inputs[1].data)});
        nms.suppress(Shapes<T>{boxes, rules.overlapLimit});
        nms.write(Detections<T>{boxes, areClipped, outputs[0][1], static_cast<T*>(outputs[0].data), outputs[1].ints()});
    });
}

} // namespace tenon::plugins::rotated_nms
