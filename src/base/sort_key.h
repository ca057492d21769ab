// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

namespace tenon {

/// Maps the bits of elements to unsigned integers in the order of their values. constexpr, so that GPU code can call
/// it.
struct KeyRule {
    uint64_t infinity = 0; // the bits of infinity; 0: integers
    uint64_t sign = 0;     // the sign bit; 0: unsigned
    uint64_t reversed = 0; // all ones if larger elements come first
    uint64_t nan = 0;      // the key of NaN

    KeyRule() = default;
    /// `isReversed`: larger elements have smaller keys. The key of NaN, which is equal to NaN, is the first or the
    /// last.
    constexpr KeyRule(DataType type, bool isReversed, bool nanFirst)
        : reversed(isReversed ? ~uint64_t{0} : 0), nan(nanFirst ? 0 : ~uint64_t{0}) {
        switch (type) {
        case DataType::Float32: infinity = 0x7F800000, sign = uint64_t{1} << 31; break;
        case DataType::Float16: infinity = 0x7C00, sign = 0x8000; break;
        case DataType::BFloat16: infinity = 0x7F80, sign = 0x8000; break;
        case DataType::Int64: sign = uint64_t{1} << 63; break;
        case DataType::Int32: sign = uint64_t{1} << 31; break;
        case DataType::Int8: sign = 0x80; break;
        default: break;
        }
    }

    /// In the width of the element and without branches, so that loops are vectorized.
    template <class Bits> constexpr Bits keyOf(Bits bits) const {
        auto const signBit = static_cast<Bits>(sign);
        auto const turned = static_cast<Bits>(reversed);
        auto const toUnsigned = static_cast<Bits>(bits ^ signBit);
        if (infinity == 0) return static_cast<Bits>(toUnsigned ^ turned);
        auto const magnitude = static_cast<Bits>(bits & static_cast<Bits>(~signBit));
        auto const key = magnitude == 0    ? signBit // both zeros are equal
                         : bits >= signBit ? static_cast<Bits>(~bits)
                                           : toUnsigned;
        return magnitude > static_cast<Bits>(infinity) ? static_cast<Bits>(nan) : static_cast<Bits>(key ^ turned);
    }
};

} // namespace tenon
