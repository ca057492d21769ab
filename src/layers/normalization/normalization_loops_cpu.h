// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// y = (x - mean) * factor * scale + bias. What varies from element to element is read one after the other.
struct RowLine {
    float mean;
    float factor;
    float const* scale;
    float const* bias;
};
struct ColumnLine {
    float const* mean;
    float const* factor;
    float scale;
    float bias;
};

/// The inner loops of normalizations, compiled once for each instruction set.
struct NormalizationLoops {
    /// Σ x
    float (*sum)(float const* x, int64_t count);
    /// Σ (x - mean)²
    float (*squares)(float const* x, int64_t count, float mean);
    /// [scale varies][bias varies]; scale and bias of the line are there. y may be x.
    void (*row[2][2])(float* y, float const* x, int64_t count, RowLine const& line);

    /// into[l] += Σ (x[r * stride + l] - mean[l])² over all rows r, for l in [0, lanes)
    void (*columnSquares)(float* into, float const* x, float const* mean, int64_t rows, int64_t stride, int64_t lanes);
    /// y may be x.
    void (*column)(float* y, float const* x, int64_t lanes, ColumnLine const& line);
};

} // namespace tenon::cpu
