// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tenon/plugin_base.h>

#include <cmath>
#include <limits>

namespace tenon::hosting {
namespace {

// By the definition of the format, IEEE 754 binary16.
double valueOf(int half) {
    int const sign = half & 0x8000 ? -1 : 1, exponent = (half >> 10) & 31, mantissa = half & 1023;
    if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

TEST(Half, EveryNumberHasItsValueAndComesBack) {
    for (int half = 0; half <= 0xFFFF; ++half) {
        float const value = fromHalf(uint16_t(half));
        if (std::isnan(valueOf(half))) {
            EXPECT_TRUE(std::isnan(value)) << half;
            EXPECT_TRUE(std::isnan(fromHalf(toHalf(value)))) << half;
        } else {
            EXPECT_EQ(double(value), valueOf(half)) << half;
            EXPECT_EQ(toHalf(value), half);
        }
    }
}

TEST(Half, WhatIsBetweenTwoNumbersBecomesTheNearerOrTheEvenOne) {
    for (int half = 0; half < 0x7BFF; ++half) {
        auto const middle = float((valueOf(half) + valueOf(half + 1)) / 2);
        int const even = half % 2 == 0 ? half : half + 1;
        EXPECT_EQ(toHalf(middle), even) << half;
        EXPECT_EQ(toHalf(-middle), even | 0x8000) << half;
        EXPECT_EQ(toHalf(std::nextafter(middle, 0.0F)), half) << half;
        EXPECT_EQ(toHalf(std::nextafter(middle, HUGE_VALF)), half + 1) << half;
    }
}

TEST(Half, WhatIsTooLargeBecomesInfinite) {
    EXPECT_EQ(toHalf(65519.996F), 0x7BFF);
    EXPECT_EQ(toHalf(65520.0F), 0x7C00);
    EXPECT_EQ(toHalf(-1e30F), 0xFC00);
    EXPECT_EQ(toHalf(HUGE_VALF), 0x7C00);
}

} // namespace
} // namespace tenon::hosting
