// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "backends/cuda/step_chain.h"
#include "layers/pointwise/pointwise_step.cuh"

namespace tenon::cuda {

/// Once in a kernel, however many elements a thread has in hand: the code of all operations is long.
static __device__ __noinline__ float computeAnyStep(PointwiseOp op, float a, float b, float alpha, float beta) {
    return computeStep(op, a, b, alpha, beta);
}

template <class T> __device__ __forceinline__ float StepChain::apply(float value, int64_t index) const {
    for (uint32_t i = 0; i < count_; ++i) {
        Step const& step = steps_[i];
        int64_t at = 0;
        if (step.reach == Reach::Whole) at = index;
        if (step.reach == Reach::Channel) at = channelOf(index);
        float const other = step.reach == Reach::None ? 0 : toFloat(static_cast<T const*>(step.operand)[at]);
        value = computeAnyStep(step.op, value, other, step.alpha, step.beta);
    }
    return value;
}

__device__ __forceinline__ int64_t StepChain::channelOf(int64_t index) const {
    if (!isSmall_) return index / inner_ % channels_;
    uint32_t const group = innerDivider_.divide(static_cast<uint32_t>(index));
    return group - channelsDivider_.divide(group) * channelsDivider_.divisor();
}

} // namespace tenon::cuda
