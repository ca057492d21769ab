// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ocr {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = ~0U;

// The number of blocks for `count` items, `perBlock` each.
inline unsigned blocksFor(int64_t count, int64_t perBlock) { return unsigned((count + perBlock - 1) / perBlock); }

// After each launch. Throws std::runtime_error with CUDA's error, and clears it.
inline void checkLaunch(char const* kernel) {
    cudaError_t const status = cudaGetLastError();
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(kernel) + " could not be launched: " + cudaGetErrorString(status));
}

__device__ inline int laneId() { return int(threadIdx.x) % kWarp; }
__device__ inline int warpOfBlock() { return int(threadIdx.x) / kWarp; }
__device__ inline int warpsOfBlock() { return int(blockDim.x) / kWarp; }
__device__ inline int64_t globalThread() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// The sum over all threads of a block, the same in each of them; always added in the same order.
template <typename Value> __device__ Value sumOverBlock(Value value) {
    __shared__ Value sums[kWarp];
    for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
    if (laneId() == 0) sums[warpOfBlock()] = value;
    __syncthreads();
    Value sum = 0;
    for (int warp = 0; warp < warpsOfBlock(); ++warp) sum += sums[warp];
    __syncthreads(); // the next call writes there again
    return sum;
}

struct SumBefore {
    int32_t before; // of the block's earlier threads
    int32_t all;    // of the whole block
};

__device__ inline SumBefore sumBefore(int32_t value) {
    __shared__ int32_t sums[kWarp];
    int32_t upToMine = value;
    for (int step = 1; step < kWarp; step *= 2) {
        int32_t const other = __shfl_up_sync(kAllLanes, upToMine, step);
        if (laneId() >= step) upToMine += other;
    }
    if (laneId() == kWarp - 1) sums[warpOfBlock()] = upToMine;
    __syncthreads();
    SumBefore sum{upToMine - value, 0};
    for (int warp = 0; warp < warpsOfBlock(); ++warp) {
        if (warp < warpOfBlock()) sum.before += sums[warp];
        sum.all += sums[warp];
    }
    __syncthreads();
    return sum;
}

} // namespace ocr
