// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)
#include "backends/cpu/convert.h"

#include <immintrin.h>

namespace tenon::cpu {
namespace {

/// Eight at a time; the remaining ones through a block on the stack.
template <class From, class To, class Eight>
void inEights(void const* from, void* to, int64_t count, Eight const& eight) {
    auto const* source = static_cast<From const*>(from);
    auto* target = static_cast<To*>(to);
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) eight(source + i, target + i);
    if (i == count) return;
    From last[8] = {};
    To result[8];
    for (int64_t j = i; j < count; ++j) last[j - i] = source[j];
    eight(last, result);
    for (int64_t j = i; j < count; ++j) target[j] = result[j - i];
}

__m128i load(uint16_t const* source) { return _mm_loadu_si128(reinterpret_cast<__m128i const*>(source)); }
void store(uint16_t* target, __m128i value) { _mm_storeu_si128(reinterpret_cast<__m128i*>(target), value); }

void halfToFloat(void const* from, void* to, int64_t count) {
    inEights<uint16_t, float>(from, to, count, [](uint16_t const* source, float* target) {
        _mm256_storeu_ps(target, _mm256_cvtph_ps(load(source)));
    });
}

void floatToHalf(void const* from, void* to, int64_t count) {
    inEights<float, uint16_t>(from, to, count, [](float const* source, uint16_t* target) {
        store(target, _mm256_cvtps_ph(_mm256_loadu_ps(source), _MM_FROUND_TO_NEAREST_INT));
    });
}

void bfloatToFloat(void const* from, void* to, int64_t count) {
    inEights<uint16_t, float>(from, to, count, [](uint16_t const* source, float* target) {
        __m256i const wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load(source)), 16);
        _mm256_storeu_ps(target, _mm256_castsi256_ps(wide));
    });
}

void floatToBfloat(void const* from, void* to, int64_t count) {
    inEights<float, uint16_t>(from, to, count, [](float const* source, uint16_t* target) {
        __m256 const value = _mm256_loadu_ps(source);
        __m256i const bits = _mm256_castps_si256(value);
        __m256i const odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
        __m256i const rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
        __m256i const quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000)); // a NaN stays one
        __m256i const isNan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
        __m256i const high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, isNan), 16);
        __m256i const packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(high, high), 0x08);
        store(target, _mm256_castsi256_si128(packed));
    });
}

} // namespace

Convert convertForAvx2(DataType from, DataType to) {
    if (from == DataType::Float16 && to == DataType::Float32) return halfToFloat;
    if (from == DataType::Float32 && to == DataType::Float16) return floatToHalf;
    if (from == DataType::BFloat16 && to == DataType::Float32) return bfloatToFloat;
    if (from == DataType::Float32 && to == DataType::BFloat16) return floatToBfloat;
    return nullptr;
}

} // namespace tenon::cpu
#endif
