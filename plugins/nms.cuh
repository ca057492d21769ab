// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The suppression of nms.h on a GPU: the same boxes, in the same order. All of it is enqueued on a stream, with sizes
// known on the host; the number of candidates is known only on the GPU.
//
//     GpuNms nms(rules, extents, workspace, stream);
//     nms.find(scores);          // lists of candidates, by class and in no order
//     nms.suppress(shapes);      // sorts them; kept ones move to the front of their list
//     nms.write(outputs);        // the highest-scoring of each image
//
// A list of few candidates is sorted and suppressed by one block. A longer one is sorted in runs, each by a block, and
// then all blocks of one more kernel join the runs and share the lists among them: a tile of candidates at a time is
// compared with the kept candidates before it and within itself by all blocks of a list, and resolved by one of them.
#pragma once

#include "gpu_nms_candidates.cuh"
#include "gpu_nms_lists.cuh"
#include "gpu_nms_results.cuh"

namespace tenon::plugins {

/// The corners of a tensor's boxes.
template <typename Real> struct GpuCorners {
    BoxesOf<Real> boxes;

    __device__ Box operator()(int64_t picture, Candidate const& candidate) const {
        Real const* const box = boxes.at(picture, candidate);
        return {toFloat(box[0]), toFloat(box[1]), toFloat(box[2]), toFloat(box[3])};
    }
};

/// Axis-aligned boxes, for GpuNms::suppress(). BoxOf is a functor: the Box of an image's candidate.
template <typename BoxOf> struct GpuExtents {
    using Shape = Extent;

    GpuExtents(BoxOf const& boxOf, NmsRules const& rules)
        : boxOf(boxOf), borders(rules.borders), limit(rules.overlapLimit) {}

    BoxOf boxOf;
    Borders borders;
    float limit;

    __device__ Shape at(int64_t picture, Candidate const& candidate) const {
        return {boxOf(picture, candidate), borders.each};
    }
    /// Whether it takes part at all.
    __device__ bool isThere(Shape const&) const { return true; }
    /// Whether overlaps() needs to be called: false only if it is false. Most boxes do not touch.
    __device__ bool mayOverlap(Shape const& kept, Shape const& box) const {
        bool const touch = (kept.left <= box.right) & (box.left <= kept.right) & (kept.top <= box.bottom) &
                           (box.top <= kept.bottom); // NaN does not
        return touch | (limit < 0);
    }
    __device__ bool overlaps(Shape const& kept, Shape const& box) const {
        return limit < 0 || overlap(kept, box, borders.common) > limit;
    }
};

namespace gpu_nms {

inline int multiprocessors() {
    int device = 0, count = 0;
    checkCuda(cudaGetDevice(&device));
    checkCuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

// Blocks in a grid along y; kernels loop over the rest.
inline unsigned rowsOfGrid(int64_t count) { return unsigned(std::clamp<int64_t>(count, 1, 65535)); }

} // namespace gpu_nms

/// A suppression on a GPU. Its methods enqueue kernels on the stream.
class GpuNms {
public:
    /// \param pieces of a workspace of gpuNmsWorkspace() bytes
    GpuNms(NmsRules const& rules, NmsExtents const& extents, GpuPieces pieces, cudaStream_t stream)
        : lists_(gpuLists(rules, extents, pieces)), stream_(stream) {
        if (lists_.count() > 0) checkCuda(cudaMemsetAsync(lists_.found, 0, lists_.bytesToClear(), stream));
    }

    /// Finds the candidates among all scores.
    template <typename Real> void find(GpuScores<Real> const& scores) const {
        constexpr int kWide = 16 / sizeof(Real), kOfBlock = kThreads * 16;
        int64_t const count = lists_.extents.boxes * lists_.extents.classes;
        if (isEmpty()) return;
        unsigned const rows = gpu_nms::rowsOfGrid(lists_.extents.pictures);
        if (lists_.ofPicture > gpu_nms::kMostCounters)
            gpu_nms::findScoresOfMany<<<dim3(blocksFor(count), rows), kThreads, 0, stream_>>>(lists_, scores);
        else if (fitsPacks<Real, kWide>(scores.data, count))
            gpu_nms::findScores<Real, kWide>
                <<<dim3(blocksFor(count, kOfBlock), rows), kThreads, 0, stream_>>>(lists_, scores);
        else
            gpu_nms::findScores<Real, 1>
                <<<dim3(blocksFor(count, kOfBlock / 4), rows), kThreads, 0, stream_>>>(lists_, scores);
        checkLaunch();
    }

    /// Finds them among `count` regions of each image: candidateOf(picture, i). One whose score is not above the limit
    /// is not a candidate.
    template <typename CandidateOf> void find(int64_t count, CandidateOf const& candidateOf) const {
        if (isEmpty() || count == 0) return;
        dim3 const blocks(blocksFor(count), gpu_nms::rowsOfGrid(lists_.extents.pictures));
        gpu_nms::findRegions<<<blocks, kThreads, 0, stream_>>>(lists_, count, candidateOf);
        checkLaunch();
    }

    /// Suppresses list by list. Shapes is GpuExtents, or a class with the same methods for other shapes.
    template <typename Shapes> void suppress(Shapes const& shapes) const {
        if (isEmpty()) return;
        int64_t const runs = (lists_.room + gpu_nms::kRun - 1) / gpu_nms::kRun;
        gpu_nms::sortLists<<<blocksFor(lists_.count() * runs, 1), gpu_nms::kSortThreads, 0, stream_>>>(lists_, shapes);
        checkLaunch();
        if (lists_.room > gpu_nms::ShortList<Shapes>::kMost) suppressLong(shapes);
    }

    /// Outputs the highest-scoring of each image: `outputs.put(picture, place, candidate)` for each, `leave(picture,
    /// place)` for the positions after the last up to `rows`, and `count(picture, places)`. A begin(), if it exists,
    /// first receives the number kept of the preceding images: rows of all images may be concatenated.
    template <typename Outputs> void write(Outputs const& outputs) const {
        if (lists_.extents.pictures == 0) return;
        int64_t const pictures = lists_.extents.pictures, lanes = std::min<int64_t>(kWarp, lists_.ofPicture);
        int64_t const wanted = std::max(std::min(lists_.room, lists_.most()) * lists_.ofPicture * lanes, outputs.rows);
        int64_t const atOnce = std::max<int64_t>(1, gpu_nms::multiprocessors() * 8 / pictures);
        dim3 const blocks(unsigned(std::min<int64_t>(atOnce, blocksFor(wanted + 1))), gpu_nms::rowsOfGrid(pictures));
        gpu_nms::writeKept<<<blocks, gpu_nms::kWriteThreads, 0, stream_>>>(lists_, outputs);
        checkLaunch();
    }

private:
    bool isEmpty() const { return lists_.count() == 0 || lists_.room == 0; }

    // Its blocks synchronize, so all must run at once.
    template <typename Shapes> void suppressLong(Shapes shapes) const {
        GpuLists lists = lists_;
        void* arguments[] = {&lists, &shapes};
        dim3 const blocks(unsigned(std::min<int64_t>(gpu_nms::multiprocessors(), kMostBlocksOfLongLists)));
        checkCuda(cudaLaunchCooperativeKernel(gpu_nms::suppressLong<Shapes>, blocks, dim3(gpu_nms::kLongThreads),
                                              arguments, 0, stream_));
    }

    GpuLists lists_;
    cudaStream_t stream_;
};

} // namespace tenon::plugins
