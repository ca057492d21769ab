// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tenon {

// Floating point types of 8 bits and less. Also compiled for GPUs.

/// A type of sign, exponent and mantissa with the encoding of IEEE 754, including subnormal numbers.
struct SmallFloat {
    /// The result for a number above the maximum, unless it saturates.
    enum class Beyond : uint8_t {
        Nan,
        Infinity,
        Most // the type has neither NaN nor infinity; NaN becomes 0
    };

    int exponentBits;
    int mantissaBits;
    int bias;
    float most; // the largest number
    Beyond beyond;
    bool hasNegativeZero; // else its bits are the NaN
};

// Functions, because GPU code cannot take the address of a host constant.
constexpr SmallFloat e4m3fn() { return {4, 3, 7, 448, SmallFloat::Beyond::Nan, true}; }
constexpr SmallFloat e4m3fnuz() { return {4, 3, 8, 240, SmallFloat::Beyond::Nan, false}; }
constexpr SmallFloat e5m2() { return {5, 2, 15, 57344, SmallFloat::Beyond::Infinity, true}; }
constexpr SmallFloat e5m2fnuz() { return {5, 2, 16, 57344, SmallFloat::Beyond::Nan, false}; }
constexpr SmallFloat e2m3() { return {2, 3, 1, 7.5F, SmallFloat::Beyond::Most, true}; }
constexpr SmallFloat e3m2() { return {3, 2, 3, 28, SmallFloat::Beyond::Most, true}; }
constexpr SmallFloat e2m1() { return {2, 1, 1, 6, SmallFloat::Beyond::Most, true}; }

/// The form; Own: the numbers of the graph's type itself.
enum class NumberForm : uint8_t { Own, E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, E2M3, E3M2, E2M1 };

constexpr SmallFloat smallFloat(NumberForm form) {
    switch (form) {
    case NumberForm::Own:
    case NumberForm::E4M3FN: return e4m3fn();
    case NumberForm::E4M3FNUZ: return e4m3fnuz();
    case NumberForm::E5M2: return e5m2();
    case NumberForm::E5M2FNUZ: return e5m2fnuz();
    case NumberForm::E2M3: return e2m3();
    case NumberForm::E3M2: return e3m2();
    case NumberForm::E2M1: return e2m1();
    }
    return e4m3fn();
}

/// 2^exponent, for a normal float.
constexpr float powerOfTwo(int exponent) { return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23); }

/// The exponent of a finite number in this type; subnormal numbers have that of the smallest normal one.
constexpr int exponentIn(SmallFloat const& type, float magnitude) {
    int const exponent = static_cast<int>(std::bit_cast<uint32_t>(magnitude) >> 23) - 127;
    return exponent < 1 - type.bias ? 1 - type.bias : exponent;
}

/// The number of the type nearest to x, ties to even. Numbers above the maximum become the maximum if `saturate`, else
/// the result that the type defines. NaN stays NaN.
constexpr float nearestIn(SmallFloat const& type, float x, bool saturate) {
    constexpr float kRounding = 8388608; // 2^23: floats of this size are integers
    bool const keep = saturate || type.beyond == SmallFloat::Beyond::Most;
    if (x != x) return type.beyond == SmallFloat::Beyond::Most ? 0 : x;
    uint32_t const bits = std::bit_cast<uint32_t>(x);
    float y = std::bit_cast<float>(bits & 0x7fffffffU);
    if (y <= 2 * type.most) {
        int const exponent = exponentIn(type, y);
        float const steps = y * powerOfTwo(type.mantissaBits - exponent); // of the numbers around y
        y = ((steps + kRounding) - kRounding) * powerOfTwo(exponent - type.mantissaBits);
    }
    if (y > type.most && keep) y = type.most;
    if (y > type.most)
        y = type.beyond == SmallFloat::Beyond::Infinity ? std::numeric_limits<float>::infinity()
                                                        : std::numeric_limits<float>::quiet_NaN();
    if (y == 0 && !type.hasNegativeZero) return 0;
    return bits >> 31 != 0 ? -y : y;
}

/// The bits of a number that the type can represent.
constexpr uint8_t bitsIn(SmallFloat const& type, float number) {
    int const width = type.exponentBits + type.mantissaBits;
    auto const sign = static_cast<int>(std::bit_cast<uint32_t>(number) >> 31) << width;
    bool const isNan = number != number;
    float const magnitude = std::bit_cast<float>(std::bit_cast<uint32_t>(number) & 0x7fffffffU);
    if (isNan && !type.hasNegativeZero) return static_cast<uint8_t>(1 << width);
    if (isNan && type.beyond == SmallFloat::Beyond::Nan) return static_cast<uint8_t>(sign | ((1 << width) - 1));
    if (isNan || magnitude > type.most) // of the type with infinities
        return static_cast<uint8_t>(sign |
                                    (((2 << type.exponentBits) - 2 + (isNan ? 1 : 0)) << (type.mantissaBits - 1)));
    int const exponent = exponentIn(type, magnitude);
    auto const steps = static_cast<int>(magnitude * powerOfTwo(type.mantissaBits - exponent));
    return static_cast<uint8_t>(sign | (steps + ((exponent - 1 + type.bias) << type.mantissaBits)));
}

/// The number with these bits; bits above the type's width are ignored.
constexpr float numberIn(SmallFloat const& type, uint8_t bits) {
    int const width = type.exponentBits + type.mantissaBits;
    int const magnitude = bits & ((1 << width) - 1);
    bool const negative = ((bits >> width) & 1) != 0;
    int const exponent = magnitude >> type.mantissaBits;
    int const mantissa = magnitude & ((1 << type.mantissaBits) - 1);
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    if (!type.hasNegativeZero && negative && magnitude == 0) return kNan;
    if (type.beyond == SmallFloat::Beyond::Nan && type.hasNegativeZero && magnitude == (1 << width) - 1) return kNan;
    float number = 0;
    if (type.beyond == SmallFloat::Beyond::Infinity && exponent == (1 << type.exponentBits) - 1)
        number = mantissa == 0 ? std::numeric_limits<float>::infinity() : kNan;
    else if (exponent == 0)
        number = static_cast<float>(mantissa) * powerOfTwo(1 - type.bias - type.mantissaBits);
    else
        number = static_cast<float>((1 << type.mantissaBits) + mantissa) *
                 powerOfTwo(exponent - type.bias - type.mantissaBits);
    return negative ? -number : number;
}

/// How numbers between two powers of two are rounded.
enum class PowerRounding : uint8_t { Up, Down, Nearest /* the middle one: up */ };

/// E8M0, which has the powers of two from 2^-127 to 2^127, and NaN (255): the bits for |x|. Numbers out of range,
/// including 0 and infinity, become the nearest power if `saturate`, else NaN.
constexpr uint8_t powerBits(float x, PowerRounding rounding, bool saturate) {
    constexpr int kNan = 255;
    uint32_t const bits = std::bit_cast<uint32_t>(x) & 0x7fffffffU;
    if (bits > 0x7f800000U) return kNan;
    auto const exponent = static_cast<int>(bits >> 23);
    uint32_t least = 0x800000U; // the bits that represent the power of two; 2^-127 is a subnormal float
    if (exponent == 0) least = 0x400000U;
    uint32_t const mantissa = exponent == 0 ? bits : (bits & 0x7fffffU) | 0x800000U;
    if (mantissa < least) return saturate ? 0 : kNan;
    bool const up = (rounding == PowerRounding::Up && mantissa > least) ||
                    (rounding == PowerRounding::Nearest && mantissa >= least + least / 2);
    int const power = exponent + (up ? 1 : 0);
    if (power < kNan) return static_cast<uint8_t>(power);
    return static_cast<uint8_t>(saturate ? kNan - 1 : kNan);
}

constexpr float powerNumber(uint8_t bits) {
    if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
    return std::bit_cast<float>(bits == 0 ? 0x400000U : uint32_t{bits} << 23);
}

} // namespace tenon
