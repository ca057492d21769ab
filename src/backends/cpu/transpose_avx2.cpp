// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)
#include "backends/cpu/transpose_tiles.h"

#include <immintrin.h>

namespace tenon::cpu {
namespace {

using Two = Unaligned<uint16_t>;
using Four = Unaligned<uint32_t>;

__m256 rowOf(Four const* source) { return _mm256_loadu_ps(reinterpret_cast<float const*>(source)); }

/// 8 by 8 elements of 4 bytes: swaps pairs, then fours, then the halves of the registers.
void square4(Four const* source, int64_t stride, Four* target, int64_t toStride) {
    __m256 r[8];
    __m256 pairs[8];
    for (int i = 0; i < 8; ++i) r[i] = rowOf(source + i * stride);
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        auto* low = reinterpret_cast<float*>(target + i * toStride);
        auto* high = reinterpret_cast<float*>(target + (i + 4) * toStride);
        _mm256_storeu_ps(low, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(high, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

/// 8 by 8 elements of 2 bytes.
void square2(Two const* source, int64_t stride, Two* target, int64_t toStride) {
    __m128i r[8];
    __m128i t[8];
    for (int i = 0; i < 8; ++i) r[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(source + i * stride));
    for (int i = 0; i < 4; ++i) {
        t[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
        t[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
        r[2 * i] = _mm_unpacklo_epi16(t[i], t[i + 4]);
        r[2 * i + 1] = _mm_unpackhi_epi16(t[i], t[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
        auto* even = reinterpret_cast<__m128i*>(target + 2 * i * toStride);
        auto* odd = reinterpret_cast<__m128i*>(target + (2 * i + 1) * toStride);
        _mm_storeu_si128(even, _mm_unpacklo_epi16(r[i], r[i + 4]));
        _mm_storeu_si128(odd, _mm_unpackhi_epi16(r[i], r[i + 4]));
    }
}

} // namespace

void transpose4Avx2(MatrixView const& from, void* to, int64_t toStride) {
    transposeTiled<uint32_t, 8>(
        from, to, toStride, [&](Four const* source, Four* target) { square4(source, from.stride, target, toStride); });
}

void transpose2Avx2(MatrixView const& from, void* to, int64_t toStride) {
    transposeTiled<uint16_t, 8>(
        from, to, toStride, [&](Two const* source, Two* target) { square2(source, from.stride, target, toStride); });
}

} // namespace tenon::cpu
#endif
