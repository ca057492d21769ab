// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// A row of results of a block of channels, each of its own channel of X.
struct DepthwiseRow {
    int64_t channels; // of the block that are there, at most; those behind them are neither read nor written
    float const* x;   // where the window's first row is, which may lie before X
    int64_t row;      // floats from one row of the window to the next
    int64_t place;    // and from one place of X to the next
    int64_t places;   // of a row of X
    float const* w;   // a block for each place of the window
    int64_t windowRows, windowPlaces;
    int64_t firstRow, endRow; // of the window, that are rows of X
    int64_t stride, dilation, pre;
    float const* bias;
    float* y;
    int64_t yPlace; // floats from one result to the next
    int64_t results;
    bool clamps = false;           // the sums, NaN excepted, to
    float least = 0, greatest = 0; // this range
};

struct DepthwiseLoops {
    void (*computeRow)(DepthwiseRow const& row);
};

} // namespace tenon::cpu
