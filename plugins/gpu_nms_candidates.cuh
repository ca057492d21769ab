// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first step of a suppression on a GPU: unordered lists of candidates.
#pragma once

#include "cuda.cuh"
#include "gpu_nms.h"

#include <cooperative_groups.h>

namespace tenon::plugins {

/// Scores of a tensor [B,N,C] or [B,N,C,1]; with `classesFirst`, [B,C,N].
template <typename Real> struct GpuScores {
    Real const* data;
    bool classesFirst = false;
};

namespace gpu_nms {

// Appends to the list of its class. Lanes of a warp with the same list reserve their slots together.
__device__ inline void add(GpuLists const& lists, int64_t picture, Candidate const& candidate) {
    namespace cg = cooperative_groups;
    int64_t const list = picture * lists.ofPicture + (lists.ofPicture == lists.extents.classes ? candidate.label : 0);
    auto const peers = cg::labeled_partition(cg::coalesced_threads(), list);
    int32_t first = 0;
    if (peers.thread_rank() == 0) first = atomicAdd(lists.found + list, int32_t(peers.size()));
    first = peers.shfl(first, 0);
    lists.keys[list * lists.room + first + peers.thread_rank()] = lists.coding().of(candidate);
}

// Whether the lists of an image have counters in shared memory.
constexpr int kMostCounters = 2048;

// The box and class of an image's score.
template <typename Real>
__device__ Candidate candidateAt(GpuLists const& lists, GpuScores<Real> const& scores, int64_t i, float score) {
    auto const inner = uint32_t(scores.classesFirst ? lists.extents.boxes : lists.extents.classes);
    uint32_t const outer = uint32_t(i) / inner, rest = uint32_t(i) - outer * inner;
    return {score, int32_t(scores.classesFirst ? rest : outer), int32_t(scores.classesFirst ? outer : rest)};
}

// A block counts its candidates per list, and then reserves the slots together.
template <typename Real, int kLanes>
__global__ void __launch_bounds__(kThreads) findScores(__grid_constant__ GpuLists const lists, GpuScores<Real> scores) {
    constexpr int kEach = kLanes == 1 ? 4 : 16 / kLanes, kOfThread = kEach * kLanes;
    __shared__ int32_t counters[kMostCounters];
    int64_t const count = lists.extents.boxes * lists.extents.classes, step = int64_t(gridDim.x) * kThreads * kOfThread;
    bool const isByClass = lists.ofPicture == lists.extents.classes;
    for (int64_t picture = blockIdx.y; picture < lists.extents.pictures; picture += gridDim.y) {
        for (int64_t first = int64_t(blockIdx.x) * kThreads * kOfThread; first < count; first += step) {
            Pack<Real, kLanes> some[kEach];
            int32_t places[kOfThread];
            bool isAny = false;
#pragma unroll
            for (int k = 0; k < kEach; ++k) {
                int64_t const i = first + (k * kThreads + int64_t(threadIdx.x)) * kLanes;
                for (int each = 0; each < kLanes; ++each) places[k * kLanes + each] = -1;
                if (i >= count) continue;
                some[k] = *reinterpret_cast<Pack<Real, kLanes> const*>(scores.data + picture * count + i);
                for (int each = 0; each < kLanes; ++each) isAny |= toFloat(some[k].at[each]) > lists.rules.scoreLimit;
            }
            for (int64_t list = threadIdx.x; list < lists.ofPicture; list += kThreads) counters[list] = 0;
            if (__syncthreads_or(isAny) == 0) continue;
#pragma unroll
            for (int k = 0; k < kOfThread; ++k) {
                int64_t const i = first + (k / kLanes * kThreads + int64_t(threadIdx.x)) * kLanes + k % kLanes;
                if (i >= count || !(toFloat(some[k / kLanes].at[k % kLanes]) > lists.rules.scoreLimit)) continue;
                int32_t const label = candidateAt(lists, scores, i, 0).label;
                if (label != lists.rules.background) places[k] = atomicAdd(counters + (isByClass ? label : 0), 1);
            }
            __syncthreads();
            for (int64_t list = threadIdx.x; list < lists.ofPicture; list += kThreads) {
                if (counters[list] > 0)
                    counters[list] = atomicAdd(lists.found + picture * lists.ofPicture + list, counters[list]);
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < kOfThread; ++k) {
                if (places[k] < 0) continue;
                int64_t const i = first + (k / kLanes * kThreads + int64_t(threadIdx.x)) * kLanes + k % kLanes;
                Candidate const found = candidateAt(lists, scores, i, toFloat(some[k / kLanes].at[k % kLanes]));
                int32_t const ofPicture = isByClass ? found.label : 0;
                int64_t const list = picture * lists.ofPicture + ofPicture;
                lists.keys[list * lists.room + counters[ofPicture] + places[k]] = lists.coding().of(found);
            }
            __syncthreads();
        }
    }
}

// The same for any number of lists.
template <typename Real>
__global__ void findScoresOfMany(__grid_constant__ GpuLists const lists, GpuScores<Real> scores) {
    int64_t const count = lists.extents.boxes * lists.extents.classes;
    for (int64_t picture = blockIdx.y; picture < lists.extents.pictures; picture += gridDim.y) {
        forEach(count, [&](int64_t i) {
            float const score = toFloat(scores.data[picture * count + i]);
            if (!(score > lists.rules.scoreLimit)) return;
            Candidate const candidate = candidateAt(lists, scores, i, score);
            if (candidate.label != lists.rules.background) add(lists, picture, candidate);
        });
    }
}

// candidateOf(picture, i) for each of `count` regions of each image; one whose score is not above the limit is not a
// candidate.
template <typename CandidateOf>
__global__ void findRegions(__grid_constant__ GpuLists const lists, int64_t count, CandidateOf candidateOf) {
    for (int64_t picture = blockIdx.y; picture < lists.extents.pictures; picture += gridDim.y) {
        forEach(count, [&](int64_t i) {
            Candidate const candidate = candidateOf(picture, i);
            if (candidate.score > lists.rules.scoreLimit && candidate.label != lists.rules.background)
                add(lists, picture, candidate);
        });
    }
}

} // namespace gpu_nms

} // namespace tenon::plugins
