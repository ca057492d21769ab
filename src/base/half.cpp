// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/half.h"

namespace tenon {

uint16_t Half::fromFloat(float value) {
    auto const wide = std::bit_cast<uint32_t>(value);
    uint32_t const sign = (wide >> 16) & 0x8000U;
    uint32_t const magnitude = wide & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<uint16_t>(sign | 0x7e00U);
    if (magnitude >= 0x477ff000U) return static_cast<uint16_t>(sign | 0x7c00U); // rounds to more than 65504
    if (magnitude < 0x38800000U) { // subnormal: adding .5 lets the FPU round to the nearest even multiple of 2^-24
        float const rounded = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded) - 0x3f000000U));
    }
    uint32_t const rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

float Half::toFloat(uint16_t bits) {
    uint32_t const sign = (bits & 0x8000U) << 16;
    uint32_t const magnitude = bits & 0x7fffU;
    if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13));
    if (magnitude >= 0x400U) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
    float const subnormal = static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
}

} // namespace tenon
