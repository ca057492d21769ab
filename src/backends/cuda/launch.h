// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

namespace tenon::cuda {

/// Threads of a block, for kernels whose threads are independent.
inline constexpr int kThreads = 256;

/// Blocks with a thread for each of `count` elements, up to the maximum grid; kernels process the remaining elements in
/// steps of the grid size (see forEachElement).
inline unsigned blocksFor(int64_t count, int64_t perBlock = kThreads) {
    constexpr int64_t kMost = int64_t{1} << 30;
    return static_cast<unsigned>(std::min((count + perBlock - 1) / perBlock, kMost));
}

#ifdef __CUDACC__

/// for (each i < count that is this thread's) body(i)
template <class Body> __device__ void forEachElement(int64_t count, Body body) {
    int64_t const step = int64_t{blockDim.x} * gridDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}

template <class Body> __global__ void elementKernel(int64_t count, Body body) { forEachElement(count, body); }

/// Launches body(i) for each i < count; `body` is copied to the device.
template <class Body> void launchForEach(int64_t count, cudaStream_t stream, char const* what, Body body) {
    if (count == 0) return;
    elementKernel<<<blocksFor(count), kThreads, 0, stream>>>(count, body);
    checkLaunch(what);
}

/// 0, 1, 2, …, again and again.
inline void countUp(int* to, int64_t count, int64_t period, cudaStream_t stream) {
    launchForEach(count, stream, "numbers", [=] __device__(int64_t i) { to[i] = static_cast<int>(i % period); });
}

#endif

} // namespace tenon::cuda
