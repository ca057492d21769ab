// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of gpu_finder.h:
//
//     findThose(finder, stays, stream);    // stays(list, i) for each
//     visitThose(finder, visitor, stream); // visitor.visit(list, i, place) for the elements kept, which are 0, 1, 2,
//                                          // ... of their list; visitor.end(list, total) once
#pragma once

#include "cuda.cuh"
#include "gpu_finder.h"

namespace tenon::plugins {

static_assert(GpuFinder::kSteps == kThreads);

/// for (each tile of each list of this block) body(list, tile)
template <class Body> __device__ void forEachTile(GpuFinder const& finder, Body const& body) {
    for (int64_t number = blockIdx.x; number < finder.lists * finder.tiles; number += gridDim.x)
        body(number / finder.tiles, number % finder.tiles);
}

template <class Stays> __global__ void findThoseKernel(GpuFinder const finder, __grid_constant__ Stays const stays) {
    forEachTile(finder, [&](int64_t list, int64_t tile) {
        int64_t const begin = tile * finder.ofTile, end = std::min(begin + finder.ofTile, finder.count);
        int32_t found = 0;
        for (int64_t first = begin; first < end; first += kThreads) {
            int64_t const i = first + threadIdx.x;
            bool const doesStay = i < end && stays(list, i);
            uint32_t const mark = __ballot_sync(~0U, doesStay);
            if (threadIdx.x % kWarp == 0 && i < end) finder.marks[list * finder.words + i / kWarp] = mark;
            found += __syncthreads_count(doesStay);
        }
        if (threadIdx.x == 0) finder.found[list * finder.tiles + tile] = found;
    });
}

/// The sum over the block's threads, for all of them.
__device__ inline int64_t sumOfBlock(int64_t value) {
    __shared__ int64_t sums[kThreads / kWarp];
    for (int apart = kWarp / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(~0U, value, apart);
    __syncthreads(); // all have read the results of the previous call
    if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = value;
    __syncthreads();
    int64_t sum = 0;
    for (int64_t const part : sums) sum += part;
    return sum;
}

/// The number of kept elements of a list in the tiles before this one.
__device__ inline int64_t foundBefore(GpuFinder const& finder, int64_t list, int64_t tile) {
    int64_t own = 0;
    for (int64_t i = threadIdx.x; i < tile; i += kThreads) own += finder.found[list * finder.tiles + i];
    return sumOfBlock(own);
}

template <class Visitor>
__global__ void visitThoseKernel(GpuFinder const finder, __grid_constant__ Visitor const visitor) {
    forEachTile(finder, [&](int64_t list, int64_t tile) {
        int64_t place = foundBefore(finder, list, tile); // of the first one found from here on
        int32_t const here = finder.found[list * finder.tiles + tile];
        if (tile == finder.tiles - 1 && threadIdx.x == 0) visitor.end(list, place + here);
        if (here == 0) return;
        int64_t const begin = tile * finder.ofTile, end = std::min(begin + finder.ofTile, finder.count);
        uint32_t const* const marks = finder.marks + list * finder.words;
        uint32_t const bit = 1U << threadIdx.x % kWarp;
        for (int64_t first = begin; first < end; first += kThreads) {
            uint32_t own = 0;
            int64_t before = place;
            for (int warp = 0; warp < kThreads / kWarp && first + warp * kWarp < end; ++warp) {
                uint32_t const mark = marks[first / kWarp + warp];
                if (warp == threadIdx.x / kWarp) own = mark;
                if (warp < threadIdx.x / kWarp) before += __popc(mark);
                place += __popc(mark);
            }
            if (own & bit) visitor.visit(list, first + threadIdx.x, before + __popc(own & (bit - 1)));
        }
    });
}

template <class Stays> void findThose(GpuFinder const& finder, Stays const& stays, cudaStream_t stream) {
    if (finder.lists == 0) return;
    findThoseKernel<<<blocksFor(finder.lists * finder.tiles, 1), kThreads, 0, stream>>>(finder, stays);
    checkLaunch();
}

template <class Visitor> void visitThose(GpuFinder const& finder, Visitor const& visitor, cudaStream_t stream) {
    if (finder.lists == 0) return;
    visitThoseKernel<<<blocksFor(finder.lists * finder.tiles, 1), kThreads, 0, stream>>>(finder, visitor);
    checkLaunch();
}

} // namespace tenon::plugins
