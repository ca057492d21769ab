// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon {

/// The integer that stands for x where real value = scale · integer: the nearest one, the even one of two, in
/// [-128, 127]; 0 for NaN. The formula is that of ONNX's QuantizeLinear. Also compiled for GPUs.
constexpr int8_t quantize(float x, float scale) {
    constexpr float kRounding = 12582912; // 1.5 · 2^23: floats of this size are whole numbers
    float const q = x / scale;
    if (!(q == q)) return 0;
    float const bounded = q < -128 ? -128 : (q > 127 ? 127 : q);
    return static_cast<int8_t>((bounded + kRounding) - kRounding);
}

} // namespace tenon
