// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// The inner loops of softmaxes that lie side by side, compiled once for each instruction set. Each goes through
/// `lanes` neighbours. A share is exp(x[l] - base[l]), or 0 where that is less than exp(-87).
struct SoftmaxLoops {
    /// y[l] = share; sum[l] += share. y may be x.
    void (*shares)(float* y, float* sum, float const* x, float const* base, int64_t lanes);
    /// sum[l] += share
    void (*sumOfShares)(float* sum, float const* x, float const* base, int64_t lanes);
    /// y[l] *= factor[l]
    void (*scale)(float* y, float const* factor, int64_t lanes);
    /// y[l] = x[l] - base[l] - less[l]. y may be x.
    void (*lower)(float* y, float const* x, float const* base, float const* less, int64_t lanes);
};

} // namespace tenon::cpu
