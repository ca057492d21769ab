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

/// Of a weighted sum of integers: the bounds to which it is clamped, before the zero point is added.
struct SumOfIntegers {
    float factorOfA, factorOfB;
    float shift;
    float least, most;
    int32_t zero;
};

/// Conversions between real values and 8-bit integers, compiled once for each instruction set: the inverse pair of
/// which quantize() of base/quantize.h is the scalar form.
struct QuantizeLoops {
    void (*toInt8)(int8_t* y, float const* x, int64_t count, Grid const& grid);
    void (*toUInt8)(uint8_t* y, float const* x, int64_t count, Grid const& grid);
    void (*fromInt8)(float* y, int8_t const* x, int64_t count, Grid const& grid);
    void (*fromUInt8)(float* y, uint8_t const* x, int64_t count, Grid const& grid);
    /// y[i] = round(factorOfA * a[i] + factorOfB * b[i] + shift), clamped, + zero; indices are for y, a and b: 1 for
    /// uint8, 0 for int8.
    void (*sum[2][2][2])(void* y, void const* a, void const* b, int64_t count, SumOfIntegers const& of);
    /// into[l] = the maximum of into[l] and x[r * stride + l] over all rows r, for l in [0, lanes)
    void (*mostInt8)(int8_t* into, int8_t const* x, int64_t rows, int64_t stride, int64_t lanes);
    void (*mostUInt8)(uint8_t* into, uint8_t const* x, int64_t rows, int64_t stride, int64_t lanes);
};

} // namespace tenon::cpu
