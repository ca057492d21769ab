// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::cpu {

struct Bytes16 {
    uint64_t low, high;
};

/// An element in memory: a slice may start between two elements that were widened, so it may be unaligned.
template <class T> struct [[gnu::packed, gnu::may_alias]] Unaligned { T value; };

/// A matrix in memory; `stride` elements between rows.
struct MatrixView {
    void const* data;
    int64_t stride;
    int64_t rows;
    int64_t columns;
};

/// to[c * toStride + r] = from[r][c], on the calling thread.
using Transpose = void (*)(MatrixView const& from, void* to, int64_t toStride);

/// The fastest one on this CPU for elements of 1, 2, 4, 8 or 16 bytes; null for other sizes.
Transpose transposeFor(size_t elementBytes);

#if defined(__x86_64__)
void transpose4Avx2(MatrixView const& from, void* to, int64_t toStride);
void transpose2Avx2(MatrixView const& from, void* to, int64_t toStride);
#endif

} // namespace tenon::cpu
