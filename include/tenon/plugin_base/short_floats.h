// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Numbers of the types that run() sees as float: HALF, and from level 8 on BF16.
#ifndef TENON_PLUGIN_BASE_SHORT_FLOATS_H
#define TENON_PLUGIN_BASE_SHORT_FLOATS_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include <cstdint>
#include <cstring>

namespace tenon {
inline namespace TENON_PLUGIN_BASE {
namespace TENON_PLUGIN_HOSTING {

inline uint32_t bitsOf(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float withBits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// The value of a number of type HALF.
inline float fromHalf(uint16_t half) {
    uint32_t const sign = uint32_t(half & 0x8000U) << 16;
    uint32_t const exponent = (half >> 10) & 0x1FU, mantissa = half & 0x3FFU;
    if (exponent == 0) { // zero or subnormal: mantissa * 2^-24
        float const magnitude = float(mantissa) / float(1 << 24);
        return withBits(bitsOf(magnitude) | sign);
    }
    uint32_t const wide = exponent == 31 ? 255 : exponent + 112;
    return withBits(sign | wide << 23 | mantissa << 13);
}

/// The nearest number of type HALF; of two equally near ones, the even one.
inline uint16_t toHalf(float value) {
    uint32_t const bits = bitsOf(value);
    uint16_t const sign = uint16_t((bits >> 16) & 0x8000U);
    uint32_t const magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return uint16_t(sign | 0x7E00U);  // not a number
    if (magnitude >= 0x477FF000U) return uint16_t(sign | 0x7C00U); // from 65520 on, infinity is the nearest
    if (magnitude < 0x38800000U)                                   // subnormal: adding 0.5 rounds to multiples of 2^-24
        return uint16_t(sign | (bitsOf(withBits(magnitude) + 0.5F) - 0x3F000000U));
    uint32_t const rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
    return uint16_t(sign | ((rounded - 0x38000000U) >> 13));
}

/// The value of a number of type BF16, which is the upper half of a float.
inline float fromBf16(uint16_t bf16) { return withBits(uint32_t(bf16) << 16); }

/// The nearest number of type BF16; of two equally near ones, the even one.
inline uint16_t toBf16(float value) {
    uint32_t const bits = bitsOf(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return uint16_t((bits >> 16) | 0x40U); // not a number
    return uint16_t((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

/// How the elements of a type become float and come back.
struct ShortFloats {
    char const* name; ///< Null where the type is none of them.
    float (*widen)(uint16_t);
    uint16_t (*narrow)(float);

    explicit operator bool() const { return name != nullptr; }
};

inline ShortFloats shortFloatsOf(nvinfer1::DataType type) {
    if (type == nvinfer1::DataType::kHALF) return {"HALF", fromHalf, toHalf};
#if TENON_LEVEL >= 8
    if (type == nvinfer1::DataType::kBF16) return {"BF16", fromBf16, toBf16};
#endif
    return {nullptr, nullptr, nullptr};
}

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_SHORT_FLOATS_H
