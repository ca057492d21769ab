// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// The inner loops of softmaxes, compiled once for each instruction set. Those of adjacent softmaxes process `lanes`
/// elements each. A share is exp(x[l] - base[l]), or 0 where that is less than exp(-87).
struct SoftmaxLoops {
    /// y[l] = share; sum[l] += share. y may be x.
    void (*shares)(float* y, float* sum, float const* x, float const* base, int64_t lanes);
    /// sum[l] += share
    void (*sumOfShares)(float* sum, float const* x, float const* base, int64_t lanes);
    /// y[l] *= factor[l]
    void (*scale)(float* y, float const* factor, int64_t lanes);
    /// y[l] = x[l] - base[l] - less[l]. y may be x.
    void (*lower)(float* y, float const* x, float const* base, float const* less, int64_t lanes);
    /// X [rows,count] → Y [rows,count]: the softmax of each row. A row with a NaN, with infinity, or of -infinity alone
    /// gives NaN. y may be x.
    void (*normalizeRows)(float* y, float const* x, int64_t rows, int64_t count);
    /// The logarithm of that, never above 0.
    void (*logarithmsOfRows)(float* y, float const* x, int64_t rows, int64_t count);
};

} // namespace tenon::cpu
