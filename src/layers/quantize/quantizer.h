// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/quantize/quantize.h"

namespace tenon {

/// Quantizes one element; the result is a number of the target type. Also compiled for GPUs.
struct Quantizer {
    enum class Kind : uint8_t { Whole, Real, Power };

    Kind kind = Kind::Whole;
    float least = -128;
    float most = 127;
    SmallFloat form = e4m3fn();
    bool saturate = true;
    PowerRounding rounding = PowerRounding::Up;
    DataType precision = DataType::Float32;

    /// Rounded to `precision`.
    constexpr float narrowed(float x) const {
        constexpr SmallFloat kHalf{5, 10, 15, 65504, SmallFloat::Beyond::Infinity, true};
        if (precision == DataType::Float16) return nearestIn(kHalf, x, false);
        if (precision != DataType::BFloat16 || x != x) return x;
        auto const bits = std::bit_cast<uint32_t>(x);
        return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
    }

    constexpr float whole(float quotient, float zero) const {
        constexpr float kRounding = 12582912; // 1.5 · 2^23: floats of this size are integers
        constexpr float kFar = 4194304;       // 2^22, beyond all ranges
        float const bounded = quotient < -kFar ? -kFar : (quotient > kFar ? kFar : quotient);
        float const y = (quotient == quotient ? (bounded + kRounding) - kRounding : 0) + zero;
        return y < least ? least : (y > most ? most : y);
    }

    constexpr float operator()(float x, float scale, float zero) const {
        float const quotient = precision == DataType::Float32 ? x / scale : narrowed(narrowed(x) / narrowed(scale));
        if (kind == Kind::Whole) return whole(quotient, zero);
        if (kind == Kind::Real) return nearestIn(form, quotient + zero, saturate);
        return powerNumber(powerBits(quotient, rounding, saturate));
    }
};

Quantizer quantizerOf(Quantize const& layer);

} // namespace tenon
