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

// round half to even of value / scale, in the range of the type
TEST(Int8, IsTheNearestMultipleOfTheScale) {
    EXPECT_EQ(toInt8(0.75F, 0.5F), 2);
    EXPECT_EQ(toInt8(1.25F, 0.5F), 2);
    EXPECT_EQ(toInt8(-1.75F, 0.5F), -4);
    EXPECT_EQ(toInt8(-1.7F, 0.5F), -3);
    EXPECT_EQ(toInt8(1e30F, 0.5F), 127);
    EXPECT_EQ(toInt8(-HUGE_VALF, 0.5F), -128);
    EXPECT_EQ(toInt8(std::numeric_limits<float>::quiet_NaN(), 0.5F), 0);
    for (int i = -128; i < 128; ++i) EXPECT_EQ(toInt8(float(i) * 0.1F, 0.1F), i);
}

// By the definition of the format: the sign, the exponent and the 7 first digits of binary32.
double valueOfBf16(int bf16) {
    int const sign = bf16 & 0x8000 ? -1 : 1, exponent = (bf16 >> 7) & 255, mantissa = bf16 & 127;
    if (exponent == 255) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    return sign * (exponent ? std::ldexp(128 + mantissa, exponent - 134) : std::ldexp(mantissa, -133));
}

TEST(Bf16, EveryNumberHasItsValueAndComesBack) {
    for (int bf16 = 0; bf16 <= 0xFFFF; ++bf16) {
        float const value = fromBf16(uint16_t(bf16));
        if (std::isnan(valueOfBf16(bf16))) {
            EXPECT_TRUE(std::isnan(value)) << bf16;
            EXPECT_TRUE(std::isnan(fromBf16(toBf16(value)))) << bf16;
        } else {
            EXPECT_EQ(double(value), valueOfBf16(bf16)) << bf16;
            EXPECT_EQ(toBf16(value), bf16);
        }
    }
    EXPECT_TRUE(std::isnan(fromBf16(toBf16(withBits(0x7F800001U))))) << "whose upper half is that of infinity";
}

TEST(Bf16, WhatIsBetweenTwoNumbersBecomesTheNearerOrTheEvenOne) {
    for (int bf16 = 0; bf16 < 0x7F7F; ++bf16) {
        auto const middle = float((valueOfBf16(bf16) + valueOfBf16(bf16 + 1)) / 2);
        int const even = bf16 % 2 == 0 ? bf16 : bf16 + 1;
        EXPECT_EQ(toBf16(middle), even) << bf16;
        EXPECT_EQ(toBf16(-middle), even | 0x8000) << bf16;
        EXPECT_EQ(toBf16(std::nextafter(middle, 0.0F)), bf16) << bf16;
        EXPECT_EQ(toBf16(std::nextafter(middle, HUGE_VALF)), bf16 + 1) << bf16;
    }
}

TEST(Bf16, WhatIsTooLargeBecomesInfinite) {
    float const middle = std::ldexp(511.0F, 119); // of 255 * 2^120, the largest number, and 256 * 2^120
    EXPECT_EQ(toBf16(std::nextafter(middle, 0.0F)), 0x7F7F);
    EXPECT_EQ(toBf16(middle), 0x7F80);
    EXPECT_EQ(toBf16(-std::numeric_limits<float>::max()), 0xFF80);
    EXPECT_EQ(toBf16(HUGE_VALF), 0x7F80);
}

} // namespace
} // namespace tenon::hosting
