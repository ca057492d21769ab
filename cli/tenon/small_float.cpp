// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "small_float.h"

#include <cmath>

namespace tenon::cli {

float decode(uint32_t bits, SmallFloat kind) {
    int const bias = (1 << (kind.exponentBits - 1)) - 1;
    uint32_t const fraction = bits & ((1U << kind.fractionBits) - 1);
    int const exponent = static_cast<int>((bits >> kind.fractionBits) & ((1U << kind.exponentBits) - 1));
    bool const negative = (bits >> (kind.fractionBits + kind.exponentBits)) & 1U;
    bool const top = exponent == (1 << kind.exponentBits) - 1;
    float magnitude = 0;
    if (top && kind.top == SmallFloat::kInfinity)
        magnitude = fraction == 0 ? INFINITY : NAN;
    else if (top && kind.top == SmallFloat::kOneNan && fraction == (1U << kind.fractionBits) - 1)
        magnitude = NAN;
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), 1 - bias - kind.fractionBits);
    else
        magnitude =
            std::ldexp(static_cast<float>(fraction + (1U << kind.fractionBits)), exponent - bias - kind.fractionBits);
    return negative ? -magnitude : magnitude;
}

uint32_t encode(float value, SmallFloat kind) {
    int const bias = (1 << (kind.exponentBits - 1)) - 1;
    int exponent = 0;
    float const mantissa = std::frexp(std::abs(value), &exponent); // 0.5 to 1
    uint32_t const sign = std::signbit(value) ? 1U << (kind.exponentBits + kind.fractionBits) : 0;
    int const biased = exponent - 1 + bias;
    if (value == 0 || biased <= 0) return sign;
    auto const fraction = static_cast<uint32_t>(std::ldexp(mantissa, kind.fractionBits + 1));
    return sign + (static_cast<uint32_t>(biased - 1) << kind.fractionBits) + fraction;
}

float decodeScale(uint8_t bits) { return bits == 255 ? NAN : std::ldexp(1.F, int{bits} - 127); }

} // namespace tenon::cli
