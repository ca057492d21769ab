// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// A row of adjacent results of windows over a block of channels; each channel, or group of few, is separate.
struct WindowRow {
    int64_t block = 0;       // channels of the block
    int64_t channels = 0;    // valid ones; padding channels are neither read nor written
    void const* x = nullptr; // the window's first row, which may be before X
    int64_t row = 0;         // elements between rows of the window
    int64_t place = 0;       // and between positions of X
    int64_t places = 0;      // positions in a row of X
    int64_t windowRows = 0, windowPlaces = 0;
    int64_t firstRow = 0, endRow = 0; // rows of the window that are in X
    int64_t stride = 0, dilation = 0, pre = 0;
    void* y = nullptr;    // float32, or
    bool narrows = false; // bfloat16, like X
    int64_t yPlace = 0;   // elements between results
    int64_t results = 0;
    bool adds = false;              // to the contents of Y, in float32
    int64_t group = 1;              // of products: channels that each result sums, a divisor of a vector's floats
    float const* weights = nullptr; // a block for each channel of a group at each position of the window
    float const* bias = nullptr;    // a block
    float const* counts = nullptr;  // of sums: the divisor of each result, and
    float rowCount = 1;             // of all of them; null: not divided
    bool clamps = false;            // products, except NaN, to
    float least = 0, greatest = 0;  // this range
};

/// Window computations of convolutions with groups of few channels and of pooling: sums of elements times weights,
/// sums, the maximum. Positions outside of X are skipped; products count them as zeros. NaN is propagated.
struct WindowLoops {
    void (*products)(WindowRow const& row);
    void (*bfloat16Products)(WindowRow const& row); // X is bfloat16
    void (*sums)(WindowRow const& row);
    void (*bfloat16Sums)(WindowRow const& row);
    void (*greatest)(WindowRow const& row);
    void (*bfloat16Greatest)(WindowRow const& row);
};

} // namespace tenon::cpu
