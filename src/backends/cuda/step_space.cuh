// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The arguments of kernels of steps. Includes nothing of the CUDA toolkit, like pointwise_step.cuh.

#include "backends/cuda/divider.h"

namespace tenon::cuda {

inline constexpr int kMostStepAxes = 8;
inline constexpr int kMostStepInputs = 16;

/// Maps the result of a program to its inputs. Threads process the result in memory order, padding included, each a
/// pack of adjacent elements. Axes are innermost first.
struct StepSpace {
    uint32_t packs = 0; // of the result
    int rank = 0;
    Divider extents[kMostStepAxes];                    // in packs
    int64_t strides[kMostStepInputs][kMostStepAxes]{}; // in elements, between packs; 0: the input broadcasts
    uint32_t channels = 0;                             // of a result with padded channels; 0: there is no padding
    Divider packsOfChannels;                           // padding included
};

struct StepPointers {
    void const* inputs[kMostStepInputs]{};
    void* output = nullptr;
};

#ifdef __CUDACC__

/// The offsets of the first `inputs` inputs for a pack.
__device__ __forceinline__ void locate(StepSpace const& space, uint32_t pack, int inputs, int64_t* offsets) {
    for (int k = 0; k < inputs; ++k) offsets[k] = 0;
    for (int axis = 0; axis < space.rank; ++axis) {
        bool const isLast = axis + 1 == space.rank;
        uint32_t const rest = isLast ? 0 : space.extents[axis].divide(pack);
        int64_t const index = isLast ? pack : pack - rest * space.extents[axis].divisor();
        for (int k = 0; k < inputs; ++k) offsets[k] += index * space.strides[k][axis];
        pack = rest;
    }
}

/// The number of a pack's `width` elements that are not padding.
__device__ __forceinline__ int realElements(StepSpace const& space, uint32_t pack, int width) {
    if (space.channels == 0) return width;
    uint32_t const divisor = space.packsOfChannels.divisor();
    auto const channel = static_cast<int>((pack - space.packsOfChannels.divide(pack) * divisor) * width);
    return static_cast<int>(space.channels) - channel; // may exceed the width, or be negative
}

#endif

} // namespace tenon::cuda
