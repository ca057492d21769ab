// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// The columns that a panel of packed weights has.
constexpr int64_t kInt4Panel = 32;

/// 32 columns of W. Row by row 16 bytes: byte i holds the integers of columns i (low bits) and 16 + i, each 8 more than
/// it is. Real value = scale · byte's integer + shift, of the row's block.
struct Int4Panel {
    uint8_t const* integers;
    float const* scales; // [blocks][32]
    float const* shifts; // likewise
    int64_t k, block;
};

/// Inner loops, compiled once for each instruction set.
struct Int4Loops {
    static constexpr int kMostRows = 8;
    /// y[r][c] = Σ a[r][k] W[k][c] for r in [0, rows), rows up to kMostRows, and the 32 columns of the panel. Pitches
    /// are from one row to the next, in elements.
    void (*multiply)(float* y, int64_t yPitch, float const* a, int64_t aPitch, int rows, Int4Panel const& panel);
};

} // namespace tenon::cpu
