// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// real value = scale · (integer - zero)
struct Grid {
    float scale;
    int32_t zero;
};

/// Of a weighted sum of integers: least and most of what it is cut to, before the zero point is added.
struct SumOfIntegers {
    float factorOfA, factorOfB;
    float shift;
    float least, most;
    int32_t zero;
};

/// Between real numbers and integers of 8 bits, compiled once for each instruction set: what quantize() of
/// base/quantize.h does to one number, and back.
struct QuantizeLoops {
    void (*toInt8)(int8_t* y, float const* x, int64_t count, Grid const& grid);
    void (*toUInt8)(uint8_t* y, float const* x, int64_t count, Grid const& grid);
    void (*fromInt8)(float* y, int8_t const* x, int64_t count, Grid const& grid);
    void (*fromUInt8)(float* y, uint8_t const* x, int64_t count, Grid const& grid);
    /// y[i] = the whole number next to factorOfA * a[i] + factorOfB * b[i] + shift, cut, + zero; uint8 where the
    /// indices, of y, a and b, are 1, and int8 where they are 0.
    void (*sum[2][2][2])(void* y, void const* a, void const* b, int64_t count, SumOfIntegers const& of);
    /// into[l] = the greatest of into[l] and x[r * stride + l] over all rows r, for l in [0, lanes)
    void (*mostInt8)(int8_t* into, int8_t const* x, int64_t rows, int64_t stride, int64_t lanes);
    void (*mostUInt8)(uint8_t* into, uint8_t const* x, int64_t rows, int64_t stride, int64_t lanes);
};

} // namespace tenon::cpu
