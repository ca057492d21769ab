// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>

namespace tenon {

/// IEEE 754 binary16, round to nearest even. Arithmetic is done in float.
struct Half {
    uint16_t bits = 0;

    Half() = default;
    Half(float value) : bits(fromFloat(value)) {}
    operator float() const { return toFloat(bits); }

    static uint16_t fromFloat(float value);
    static float toFloat(uint16_t bits);
};

/// The upper half of a binary32, round to nearest even. Arithmetic is done in float.
struct BFloat16 {
    uint16_t bits = 0;

    BFloat16() = default;
    BFloat16(float value) : bits(fromFloat(value)) {}
    operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }

    static uint16_t fromFloat(float value) {
        auto const wide = std::bit_cast<uint32_t>(value);
        if ((wide & 0x7fffffffU) > 0x7f800000U) return static_cast<uint16_t>((wide >> 16) | 0x40U); // keep NaN a NaN
        return static_cast<uint16_t>((wide + 0x7fffU + ((wide >> 16) & 1U)) >> 16);
    }
};

} // namespace tenon
