// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
/// \file
/// Numbers of the types that run() sees as float: HALF, from level 8 on BF16, and INT8 with a scale.
#ifndef TENON_PLUGIN_BASE_SHORT_FLOATS_H
#define TENON_PLUGIN_BASE_SHORT_FLOATS_H

#ifndef TENON_PLUGIN_BASE_H
#error "tenon/plugin_base.h includes this where it belongs: include that instead."
#endif

#include "tenon/parallel.h"

#include <algorithm>
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

/// The integer nearest to value / scale, of two equally near ones the even one; what is out of range becomes the last
/// one there is, and what is not a number 0.
inline int8_t toInt8(float value, float scale) {
    float const rounding = 12582912; // 1.5 * 2^23: floats of this size are whole numbers
    float const quotient = value / scale;
    if (quotient != quotient) return 0;
    float const bounded = std::min(std::max(quotient, -128.0F), 127.0F);
    return int8_t((bounded + rounding) - rounding);
}

/// Calls body(i) for each i < count, on all threads where that is worth it.
template <typename Body> void convertEach(int64_t count, Body const& body) {
    int64_t const grain = 1 << 14; // some 10 microseconds
    parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) body(i);
    });
}

/// Whether elements of this type become float for run().
inline bool isNarrowReal(nvinfer1::DataType type) {
#if TENON_LEVEL >= 8
    if (type == nvinfer1::DataType::kBF16) return true;
#endif
    return type == nvinfer1::DataType::kHALF || type == nvinfer1::DataType::kINT8;
}

/// The elements of such a tensor as float.
/// \param scale of INT8
inline void widen(void const* from, nvinfer1::DataType type, float scale, int64_t count, float* to) {
    uint16_t const* const shorts = static_cast<uint16_t const*>(from);
    int8_t const* const bytes = static_cast<int8_t const*>(from);
    if (type == nvinfer1::DataType::kINT8)
        convertEach(count, [=](int64_t i) { to[i] = float(bytes[i]) * scale; });
    else if (type == nvinfer1::DataType::kHALF)
        convertEach(count, [=](int64_t i) { to[i] = fromHalf(shorts[i]); });
    else
        convertEach(count, [=](int64_t i) { to[i] = fromBf16(shorts[i]); });
}

/// Floats as the elements of such a tensor.
/// \param scale of INT8
inline void narrow(float const* from, int64_t count, nvinfer1::DataType type, float scale, void* to) {
    uint16_t* const shorts = static_cast<uint16_t*>(to);
    int8_t* const bytes = static_cast<int8_t*>(to);
    if (type == nvinfer1::DataType::kINT8)
        convertEach(count, [=](int64_t i) { bytes[i] = toInt8(from[i], scale); });
    else if (type == nvinfer1::DataType::kHALF)
        convertEach(count, [=](int64_t i) { shorts[i] = toHalf(from[i]); });
    else
        convertEach(count, [=](int64_t i) { shorts[i] = toBf16(from[i]); });
}

} // namespace TENON_PLUGIN_HOSTING
} // namespace TENON_PLUGIN_BASE
} // namespace tenon

#endif // TENON_PLUGIN_BASE_SHORT_FLOATS_H
