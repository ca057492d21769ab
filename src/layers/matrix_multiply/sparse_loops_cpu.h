// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

constexpr int64_t kSparsePanel = 16; // columns that a panel of packed weights has
constexpr int64_t kSparseChunk = 8;  // groups of 4 rows whose places fill a word

/// 16 columns of W in chunks of up to 8 groups of 4 rows, of each of which 2 numbers are kept. A chunk begins with a
/// word for each column: bits 2 i and 2 i + 1 say in which row of its group number i stands. The numbers follow, [up
/// to 16][16 columns], in 16 or 32 bits; the two of a group that are bfloat16 are one word, the first one in its low
/// bits.
struct SparsePanel {
    uint8_t const* at;
    int64_t k;
};

/// Inner loops, compiled once for each instruction set.
struct SparseLoops {
    enum Kept { Floats, Halves, BFloats }; // what numbers are kept as

    /// sums[r][c] = Σ a[r][k] W[k][c] for any number of rows and the panel's columns. A is dense.
    void (*multiply[3])(float* sums, float const* a, int64_t rows, SparsePanel const& panel);
};

} // namespace tenon::cpu
