// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/transpose.h"

#include "backends/cpu/isa.h"
#include "backends/cpu/transpose_tiles.h"

namespace tenon::cpu {
namespace {

template <class T> void transposePortable(MatrixView const& from, void* to, int64_t toStride) {
    constexpr int kSide = 8;
    transposeTiled<T, kSide>(from, to, toStride, [&](Unaligned<T> const* source, Unaligned<T>* target) {
        for (int c = 0; c < kSide; ++c) {
            for (int r = 0; r < kSide; ++r) target[c * toStride + r] = source[r * from.stride + c];
        }
    });
}

} // namespace

Transpose transposeFor(size_t elementBytes) {
#if defined(__x86_64__)
    if (bestIsa() >= Isa::Avx2 && elementBytes == 2) return transpose2Avx2;
    if (bestIsa() >= Isa::Avx2 && elementBytes == 4) return transpose4Avx2;
#endif
    switch (elementBytes) {
    case 1: return transposePortable<uint8_t>;
    case 2: return transposePortable<uint16_t>;
    case 4: return transposePortable<uint32_t>;
    case 8: return transposePortable<uint64_t>;
    case 16: return transposePortable<Bytes16>;
    }
    return nullptr;
}

} // namespace tenon::cpu
