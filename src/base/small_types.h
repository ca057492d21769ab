// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/cast_element.h"
#include "base/data_type.h"
#include "base/small_float.h"

namespace tenon {

// Elements of the types that are stored but not computed with. Two 4-bit elements share a byte, the first one in the
// low half. Also compiled for GPUs.

constexpr bool isSmall(DataType type) {
    return type == DataType::Float8 || type == DataType::Int4 || type == DataType::Float4 || type == DataType::E8M0;
}

constexpr bool isPacked(DataType type) { return type == DataType::Int4 || type == DataType::Float4; }

/// The number with these bits; 4-bit types use the low ones.
constexpr float smallNumber(DataType type, uint8_t bits) {
    if (type == DataType::Float8) return numberIn(e4m3fn(), bits);
    if (type == DataType::E8M0) return powerNumber(bits);
    if (type == DataType::Float4) return numberIn(e2m1(), bits);
    return static_cast<float>(static_cast<int8_t>(static_cast<uint8_t>(bits << 4)) / 16);
}

/// Element i of a tensor of a small type.
constexpr float smallElement(DataType type, void const* elements, int64_t i) {
    auto const* const bytes = static_cast<uint8_t const*>(elements);
    if (!isPacked(type)) return smallNumber(type, bytes[i]);
    return smallNumber(type, static_cast<uint8_t>(bytes[i / 2] >> (i % 2 * 4)));
}

/// The bits of x in a small type by the rules of Cast: the nearest number of the type; for int4 the lowest 4 bits.
template <class X> constexpr uint8_t smallBits(DataType type, X x) {
    if (type == DataType::Float8) return bitsIn(e4m3fn(), nearestIn(e4m3fn(), static_cast<float>(x), true));
    if (type == DataType::E8M0) return powerBits(static_cast<float>(x), PowerRounding::Up, true);
    if (type == DataType::Float4) return bitsIn(e2m1(), nearestIn(e2m1(), static_cast<float>(x), true));
    return static_cast<uint8_t>(castElement<X, int32_t>(x) & 15);
}

/// Writes element i; of two that share a byte, write the even one first.
constexpr void putSmall(DataType type, void* elements, int64_t i, uint8_t bits) {
    auto* const bytes = static_cast<uint8_t*>(elements);
    if (!isPacked(type))
        bytes[i] = bits;
    else if (i % 2 == 0)
        bytes[i / 2] = bits;
    else
        bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | (bits << 4));
}

} // namespace tenon
