// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"
#include "steps/pointwise_op.h"

namespace tenon::cpu {

/// Floats that steps compute at a time: a few such tiles fit in the L1 cache.
constexpr int64_t kTile = 1024;

/// y[i] = op(a[i], b[i]) for i in [0, count). y may be a or b, but not overlap them otherwise.
using StepLoop = void (*)(float* y, float const* a, float const* b, float alpha, float beta, int64_t count);

/// The inner loops of elementwise computation on floats, compiled once for each instruction set.
struct PointwiseLoops {
    StepLoop steps[kPointwiseOps]; // null if the operation has a boolean result or is for integers only
    void (*fromFloat16)(float* y, uint16_t const* x, int64_t count);
    void (*toFloat16)(uint16_t* y, float const* x, int64_t count);
    void (*fromBFloat16)(float* y, uint16_t const* x, int64_t count);
    void (*toBFloat16)(uint16_t* y, float const* x, int64_t count);

    StepLoop operator[](PointwiseOp op) const { return steps[static_cast<int>(op)]; }
};

} // namespace tenon::cpu
