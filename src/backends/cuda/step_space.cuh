// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the host says to kernels of steps. Includes nothing of the CUDA toolkit, like pointwise_step.cuh.

#include "backends/cuda/divider.h"

namespace tenon::cuda {

inline constexpr int kMostStepAxes = 8;
inline constexpr int kMostStepInputs = 16;

/// How the inputs of a program lie under its result. Threads go over the result in the order of its memory, padding
/// included, each taking a pack of neighbours. Axes stand innermost first.
struct StepSpace {
    uint32_t packs = 0; // of the result
    int rank = 0;
    Divider extents[kMostStepAxes]; // in packs
    int64_t strides[kMostStepInputs]
                   [kMostStepAxes]{}; // in elements, from one pack to the next; 0: the input broadcasts
    uint32_t channels = 0;            // of a result with padded channels; 0: there is no padding
    Divider packsOfChannels;          // padding included
};

struct StepPointers {
    void const* inputs[kMostStepInputs]{};
    void* output = nullptr;
};

#ifdef __CUDACC__

/// Where the first `inputs` inputs have what belongs to a pack.
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

/// How many of a pack's `width` elements are not padding.
__device__ __forceinline__ int realElements(StepSpace const& space, uint32_t pack, int width) {
    if (space.channels == 0) return width;
    uint32_t const divisor = space.packsOfChannels.divisor();
    auto const channel = static_cast<int>((pack - space.packsOfChannels.divide(pack) * divisor) * width);
    return static_cast<int>(space.channels) - channel; // may be more than there are, or negative
}

#endif

} // namespace tenon::cuda
