// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/half.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon {

// Converts one element to another type by the rules of Cast.

template <class To> constexpr To cutOff(float x) {
    // the float above the greatest integer is exact, the greatest integer itself may not be
    constexpr float kAbove = 2.0F * static_cast<float>(std::numeric_limits<To>::max() / 2 + 1);
    if (x != x) return 0;
    if (x >= kAbove) return std::numeric_limits<To>::max();
    return x <= static_cast<float>(std::numeric_limits<To>::min()) ? std::numeric_limits<To>::min()
                                                                   : static_cast<To>(x);
}

template <class From, class To> constexpr To castElement(From x) {
    if constexpr (std::is_same_v<To, bool>)
        return static_cast<bool>(x != From{});
    else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>)
        return cutOff<To>(x);
    else if constexpr (std::is_integral_v<To>)
        return static_cast<To>(x);
    else
        return static_cast<To>(static_cast<float>(x));
}

} // namespace tenon
