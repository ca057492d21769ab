// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// A row of results, side by side, of windows over a block of channels: of each channel, or group of few, by itself.
struct WindowRow {
    int64_t block = 0;       // channels of the block
    int64_t channels = 0;    // of these are there; those after them are neither read nor written
    void const* x = nullptr; // where the window's first row is, which may be before X
    int64_t row = 0;         // elements from one row of the window to the next
    int64_t place = 0;       // and from one place of X to the next
    int64_t places = 0;      // of a row of X
    int64_t windowRows = 0, windowPlaces = 0;
    int64_t firstRow = 0, endRow = 0; // of the window, that are rows of X
    int64_t stride = 0, dilation = 0, pre = 0;
    void* y = nullptr;    // float32, or
    bool narrows = false; // bfloat16, as X is
    int64_t yPlace = 0;   // elements from one result to the next
    int64_t results = 0;
    bool adds = false;              // to what Y, in float32, holds
    int64_t group = 1;              // of products: channels that each result sums, a divisor of a vector's floats
    float const* weights = nullptr; // a block for each channel of a group at each place of the window
    float const* bias = nullptr;    // a block
    float const* counts = nullptr;  // of sums: each result is divided by its own, and
    float rowCount = 1;             // by this; null: none is
    bool clamps = false;            // products, NaN excepted, to
    float least = 0, greatest = 0;  // this range
};

/// What convolutions of groups of few channels and pooling compute of a window: sums of elements times weights, sums,
/// the greatest element. Places beyond X count as nothing, in products as zeros.
/// A NaN stays one.
struct WindowLoops {
    void (*products)(WindowRow const& row);
    void (*bfloat16Products)(WindowRow const& row); // X is bfloat16
    void (*sums)(WindowRow const& row);
    void (*bfloat16Sums)(WindowRow const& row);
    void (*greatest)(WindowRow const& row);
    void (*bfloat16Greatest)(WindowRow const& row);
};

} // namespace tenon::cpu
