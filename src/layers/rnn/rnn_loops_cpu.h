// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"
#include "layers/rnn/rnn_math.h"

#include <cstdint>

namespace tenon::cpu {

constexpr int64_t kRnnBlock = 16; // units

/// Blocks of units of one sequence at one step. Products and biases hold the gates of a block one behind the other.
struct RnnUnits {
    float const* ofInput; // W x
    float const* ofState; // R h
    float const* bias;    // of a Gru z, r, what goes to W x, what goes to R h; with peepholes those behind the biases
    float const* before;  // h
    float* after;         // h'
    float* cell;          // c, in place
    int64_t blocks;
    float const* ofReset = nullptr; // of a Gru that resets before the product: Rh (r h), a row of units
    RnnMath const* math = nullptr;  // for those that compute with any
};

/// What a cell does behind the products, compiled once for each instruction set.
struct RnnLoops {
    void (*units[4])(RnnUnits const& units); // by RnnOperation
    void (*unitsWithPeepholes)(RnnUnits const& units);
    // Of a Gru that resets before the product, what comes before the second product (r h goes to `after`) and behind
    // it.
    void (*reset)(RnnUnits const& units);
    void (*unitsBehindReset)(RnnUnits const& units);
};

/// The same for cells that are not usual (Rnn::isUsual).
struct AnyRnnLoops {
    void (*units[4])(RnnUnits const& units); // by RnnOperation
    void (*reset)(RnnUnits const& units);
    void (*unitsBehindReset)(RnnUnits const& units);
};

} // namespace tenon::cpu
