// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

constexpr int64_t kInt4Panel = 32; // columns of a panel of packed weights
constexpr int64_t kInt4Group = 8;  // contiguous weights of a column
constexpr int64_t kInt4Chunk = 32; // weights of a column, all of one block, that are multiplied at a time
constexpr int64_t kInt4GroupBytes = kInt4Panel * kInt4Group / 2;

/// 32 columns of W in groups of 8 rows, each within one block; at the end of a block, a group is padded with anything.
/// A group has 4 bytes for each column: byte i has row i (low bits) and row 4 + i, each plus 8. Real value = scale ·
/// (stored integer - zero).
struct Int4Panel {
    uint8_t const* integers;
    float const* scales;  // [blocks][32]
    uint8_t const* zeros; // likewise; null if all are 8
    int64_t k, block;
};

/// Up to 32 numbers of a row of A: scale · Σ digits[d] 256^d. The scale is a power of two, so that the largest number
/// takes 30 bits: the truncation is less than 2^-29 of it, while float32 rounds it to 2^-24. Missing numbers are 0.
struct Int4Digits {
    int8_t digits[4][kInt4Chunk];
    float scale;
    int32_t sums[2]; // over all numbers: of digits[0] + 256 digits[1], and of the other two likewise
};

/// The layout in which unpack() stores weights: column c of row r at [c / pitch][r][c % pitch], if a part has that many
/// rows.
struct Int4Unpacked {
    float* at;
    int64_t pitch, rows;
};

/// Inner loops, compiled once for each instruction set.
struct Int4Loops {
    static constexpr int64_t kMostRows = 16; // of multiply()

    /// The first `rows` rows, kInt4Chunk at most, of a block's groups that start here.
    void (*unpack)(Int4Unpacked const& to, Int4Panel const& from, int64_t rows);

    /// Returns false if the digits would be less exact than float32: the numbers are not finite, or near the limits of
    /// its exponents.
    bool (*split)(Int4Digits& to, float const* a, int64_t count);
    /// sums[r][c] = Σ a[r][k] W[k][c] for up to kMostRows rows and the panel's columns. A is [chunks of K][rows]. The
    /// second function is for processors where multipliesInt8(). Both are null if there are no such instructions.
    void (*multiply[2])(float* sums, Int4Digits const* a, int64_t rows, Int4Panel const& panel);
};

} // namespace tenon::cpu
