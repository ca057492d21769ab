// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/transpose.h"

namespace tenon::cpu {

// `static`: each file that includes this is compiled for another instruction set and needs its own copy.

struct Unmoved {
    int64_t row, rows, column, columns;
};

/// to[r] = from[r * stride]. The compiler vectorizes strides that it knows.
template <class T, int64_t kStride>
static void pick(Unaligned<T> const* __restrict from, Unaligned<T>* __restrict to, int64_t count) {
    for (int64_t r = 0; r < count; ++r) to[r].value = from[r * kStride].value;
}

/// to[c][r] = from[r][c] for a part of the matrix, one element at a time.
template <class T>
static void transposePart(MatrixView const& from, Unaligned<T>* to, int64_t toStride, Unmoved const& part) {
    for (int64_t c = part.column; c < part.columns; ++c) {
        auto const* source = static_cast<Unaligned<T> const*>(from.data) + part.row * from.stride + c;
        Unaligned<T>* const target = to + c * toStride + part.row;
        int64_t const count = part.rows - part.row;
        if (from.stride == 2) {
            pick<T, 2>(source, target, count);
        } else {
            for (int64_t r = 0; r < count; ++r) target[r].value = source[r * from.stride].value;
        }
    }
}

/// Interleaves three rows, like the colors of an image.
template <class T>
static void interleave(Unaligned<T> const* from, MatrixView const& rows, Unaligned<T>* __restrict to) {
    for (int64_t c = 0; c < rows.columns; ++c) {
        for (int64_t r = 0; r < 3; ++r) to[3 * c + r].value = from[r * rows.stride + c].value;
    }
}

/// Walks through the matrix in squares that stay in the L1 cache; `square(source, to)` moves one of kSide by kSide
/// elements, the remaining elements at the edges are moved one by one.
template <class T, int kSide, class Square>
static void transposeTiled(MatrixView const& from, void* to, int64_t toStride, Square const& square) {
    constexpr int64_t kTile = 64;
    auto const* source = static_cast<Unaligned<T> const*>(from.data);
    auto* target = static_cast<Unaligned<T>*>(to);
    int64_t const rows = from.rows / kSide * kSide;
    int64_t const columns = from.columns / kSide * kSide;
    if (from.rows == 3 && toStride == 3) return interleave(source, from, target);
    if (rows == 0 || columns == 0) return transposePart<T>(from, target, toStride, {0, from.rows, 0, from.columns});
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
