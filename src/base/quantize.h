// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon {

/// The quantized integer of x, where value = scale · (integer - zero): rounds to nearest, ties to even before the zero
/// point is added, and clamps to the range of T; `zero` for NaN. The formula is that of ONNX's QuantizeLinear. Also
/// compiled for GPUs.
template <class T = int8_t> constexpr T quantize(float x, float scale, int32_t zero = 0) {
    constexpr float kRounding = 12582912; // 1.5 · 2^23: floats of this size are integers
    constexpr bool isSigned = static_cast<T>(-1) < 0;
    float const least = (isSigned ? -128.0F : 0.0F) - static_cast<float>(zero);
    float const most = (isSigned ? 127.0F : 255.0F) - static_cast<float>(zero);
    float const q = x / scale;
    if (!(q == q)) return static_cast<T>(zero);
    float const bounded = q < least ? least : (q > most ? most : q);
    return static_cast<T>((bounded + kRounding) - kRounding + static_cast<float>(zero));
}

} // namespace tenon
