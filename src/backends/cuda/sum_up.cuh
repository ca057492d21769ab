// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/launch.h"

namespace tenon::cuda {

inline constexpr int kSumThreads = 1024;

/// Exclusive prefix sum, by which several writers find their offsets: in place, by one block, sums[i] = the sum of the
/// counts before i; sums[count] and `total` = the sum of all.
template <class Total> __global__ void sumUpKernel(int64_t* sums, int64_t count, Total* total) {
    __shared__ int64_t parts[2][kSumThreads];
    int64_t before = 0;
    for (int64_t first = 0; first < count; first += kSumThreads) {
        int64_t const i = first + threadIdx.x;
        int64_t const own = i < count ? sums[i] : 0;
        int now = 0;
        parts[now][threadIdx.x] = own;
        __syncthreads();
        for (int distance = 1; distance < kSumThreads; distance *= 2, now = 1 - now) {
            int64_t const part = parts[now][threadIdx.x];
            int const other = static_cast<int>(threadIdx.x) - distance;
            parts[1 - now][threadIdx.x] = other < 0 ? part : part + parts[now][other];
            __syncthreads();
        }
        if (i < count) sums[i] = before + parts[now][threadIdx.x] - own;
        before += parts[now][kSumThreads - 1];
        __syncthreads(); // before the next values overwrite these
    }
    if (threadIdx.x != 0) return;
    sums[count] = before;
    *total = static_cast<Total>(before);
}

template <class Total> void sumUp(int64_t* sums, int64_t count, Total* total, cudaStream_t stream) {
    sumUpKernel<<<1, kSumThreads, 0, stream>>>(sums, count, total);
    checkLaunch("sums");
}

} // namespace tenon::cuda
