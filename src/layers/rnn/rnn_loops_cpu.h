// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"
#include "layers/rnn/rnn_math.h"

#include <cstdint>

namespace tenon::cpu {

constexpr int64_t kRnnBlock = 16; // units

/// Blocks of units of one sequence at one step. In products and biases the gates of a block are contiguous.
struct RnnUnits {
    float const* ofInput; // W x
    float const* ofState; // R h
    float const* bias;    // of a Gru z, r, then those of W x and R h; with peepholes, which follow the biases
    float const* before;  // h
    float* after;         // h'
    float* cell;          // c, in place
    int64_t blocks;
    float const* ofReset = nullptr; // of a Gru that resets before the product: Rh (r h), a row of units
    RnnMath const* math = nullptr;  // for the loops with any functions
};

/// The computation of a cell after the products, compiled once for each instruction set.
struct RnnLoops {
    void (*units[4])(RnnUnits const& units); // by RnnOperation
    void (*unitsWithPeepholes)(RnnUnits const& units);
    // Of a Gru that resets before the product: the computation before the second product (r h goes to `after`) and
    // after it.
    void (*reset)(RnnUnits const& units);
    void (*unitsBehindReset)(RnnUnits const& units);
};

/// The same for cells with other functions (not Rnn::isUsual).
struct AnyRnnLoops {
    void (*units[4])(RnnUnits const& units); // by RnnOperation
    void (*reset)(RnnUnits const& units);
    void (*unitsBehindReset)(RnnUnits const& units);
};

} // namespace tenon::cpu
