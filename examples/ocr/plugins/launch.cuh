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

// How many blocks take `count` things between them, `perBlock` each.
inline unsigned blocksFor(int64_t count, int64_t perBlock) { return unsigned((count + perBlock - 1) / perBlock); }

// After each launch. Throws std::runtime_error with what CUDA says, which also takes the error back from CUDA.
inline void checkLaunch(char const* kernel) {
    cudaError_t const status = cudaGetLastError();
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(kernel) + " could not be launched: " + cudaGetErrorString(status));
}

} // namespace ocr
