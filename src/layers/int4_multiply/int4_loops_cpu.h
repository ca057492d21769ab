// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

constexpr int64_t kInt4Panel = 32; // columns that a panel of packed weights has
constexpr int64_t kInt4Group = 8;  // weights of a column that lie together
constexpr int64_t kInt4Chunk = 32; // weights of a column, all of one block, that are multiplied at a time
constexpr int64_t kInt4GroupBytes = kInt4Panel * kInt4Group / 2;

/// 32 columns of W in groups of 8 rows, none of two blocks; where a block ends, a group is filled with anything. A
/// group has 4 bytes for each column: byte i holds row i (low bits) and row 4 + i, each 8 more than it is. Real value =
/// scale · (byte's integer - zero).
struct Int4Panel {
    uint8_t const* integers;
    float const* scales;  // [blocks][32]
    uint8_t const* zeros; // likewise; null where all are 8
    int64_t k, block;
};

/// Up to 32 numbers of a row of A: scale · Σ digits[d] 256^d. The scale is a power of two, so that the greatest number
/// takes 30 bits: what is cut off is less than 2^-29 of it, when float32 rounds it to 2^-24. Those behind the last one
/// are 0.
struct Int4Digits {
    int8_t digits[4][kInt4Chunk];
    float scale;
    int32_t sums[2]; // over all numbers: of digits[0] + 256 digits[1], and of the other two likewise
};

/// Where unpack() puts weights: column c of row r at [c / pitch][r][c % pitch], if a part has so many rows.
struct Int4Unpacked {
    float* at;
    int64_t pitch, rows;
};

/// Inner loops, compiled once for each instruction set.
struct Int4Loops {
    static constexpr int64_t kMostRows = 16; // of multiply()

    /// The first `rows` rows, kInt4Chunk at most, of a block's groups that begin here.
    void (*unpack)(Int4Unpacked const& to, Int4Panel const& from, int64_t rows);

    /// False where the digits would not be as exact as float32: the numbers are not finite, or hardly more than 0 or
    /// less than infinity.
    bool (*split)(Int4Digits& to, float const* a, int64_t count);
    /// sums[r][c] = Σ a[r][k] W[k][c] for up to kMostRows rows and the panel's columns. A is [chunks of K][rows]. The
    /// second one is for processors where multipliesInt8(). Both null where there are no such instructions.
    void (*multiply[2])(float* sums, Int4Digits const* a, int64_t rows, Int4Panel const& panel);
};

} // namespace tenon::cpu
