// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"
#include "layers/roi_align/roi_sums.h"

namespace tenon::cpu {

struct RoiAlignLoops {
    /// The bins of one channel x [height,width] of a region, as means of points: y [bins of `down`, bins of `across`].
    void (*pool)(float* y, float const* x, int64_t width, RoiSums const& down, RoiSums const& across);
};

} // namespace tenon::cpu
