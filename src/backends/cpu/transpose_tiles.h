// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/transpose.h"

namespace tenon::cpu {

// `static`: each file that includes this is compiled for another instruction set and needs its own copy.

struct Unmoved {
    int64_t row, rows, column, columns;
};

/// to[c][r] = from[r][c] for a part of the matrix, one element at a time.
template <class T>
static void transposePart(MatrixView const& from, Unaligned<T>* to, int64_t toStride, Unmoved const& part) {
    auto const* source = static_cast<Unaligned<T> const*>(from.data);
    for (int64_t c = part.column; c < part.columns; ++c) {
        for (int64_t r = part.row; r < part.rows; ++r) to[c * toStride + r] = source[r * from.stride + c];
    }
}

/// Goes through the matrix in squares that stay in the first-level cache; `square(source, to)` moves one of kSide
/// by kSide elements, what is left over at the edges moves one by one.
template <class T, int kSide, class Square>
static void transposeTiled(MatrixView const& from, void* to, int64_t toStride, Square const& square) {
    constexpr int64_t kTile = 64;
    auto const* source = static_cast<Unaligned<T> const*>(from.data);
    auto* target = static_cast<Unaligned<T>*>(to);
    int64_t const rows = from.rows / kSide * kSide;
    int64_t const columns = from.columns / kSide * kSide;
    for (int64_t tile = 0; tile < rows; tile += kTile) {
        int64_t const end = tile + kTile < rows ? tile + kTile : rows;
        for (int64_t c = 0; c < columns; c += kSide) {
            for (int64_t r = tile; r < end; r += kSide) square(source + r * from.stride + c, target + c * toStride + r);
        }
    }
    transposePart<T>(from, target, toStride, {0, rows, columns, from.columns});
    transposePart<T>(from, target, toStride, {rows, from.rows, 0, from.columns});
}

} // namespace tenon::cpu
