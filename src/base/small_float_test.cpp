// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/small_float.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tenon {
namespace {

constexpr SmallFloat kAll[]{e4m3fn(), e4m3fnuz(), e5m2(), e5m2fnuz(), e2m3(), e3m2(), e2m1()};

int bitsOf(SmallFloat const& type) { return 1 + type.exponentBits + type.mantissaBits; }

// OCP 8-bit Floating Point Specification, table 1; OCP Microscaling Formats, section 5.3; arXiv:2206.02915 for FNUZ
TEST(SmallFloat, hasTheNumbersOfItsSpecification) {
    EXPECT_EQ(numberIn(e4m3fn(), 0x7e), 448);
    EXPECT_TRUE(std::isnan(numberIn(e4m3fn(), 0x7f)));
    EXPECT_TRUE(std::isnan(numberIn(e4m3fn(), 0xff)));
    EXPECT_EQ(numberIn(e4m3fn(), 0x01), std::ldexp(1.0F, -9));
    EXPECT_EQ(numberIn(e4m3fn(), 0x08), std::ldexp(1.0F, -6));
    EXPECT_EQ(numberIn(e5m2(), 0x7b), 57344);
    EXPECT_EQ(numberIn(e5m2(), 0xfc), -INFINITY);
    EXPECT_TRUE(std::isnan(numberIn(e5m2(), 0x7e)));
    EXPECT_EQ(numberIn(e5m2(), 0x01), std::ldexp(1.0F, -16));
    EXPECT_EQ(numberIn(e4m3fnuz(), 0x7f), 240);
    EXPECT_TRUE(std::isnan(numberIn(e4m3fnuz(), 0x80)));
    EXPECT_EQ(numberIn(e4m3fnuz(), 0x01), std::ldexp(1.0F, -10));
    EXPECT_EQ(numberIn(e5m2fnuz(), 0x7f), 57344);
    EXPECT_EQ(numberIn(e5m2fnuz(), 0x01), std::ldexp(1.0F, -17));
    EXPECT_EQ(numberIn(e2m3(), 0x1f), 7.5F);
    EXPECT_EQ(numberIn(e2m3(), 0x01), 0.125F);
    EXPECT_EQ(numberIn(e3m2(), 0x1f), 28);
    EXPECT_EQ(numberIn(e3m2(), 0x01), 0.0625F);
    std::vector<float> of4;
    for (int bits = 0; bits < 16; ++bits) of4.push_back(numberIn(e2m1(), static_cast<uint8_t>(bits)));
    EXPECT_EQ(of4, (std::vector<float>{0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6}));
}

TEST(SmallFloat, becomesItsBitsAgain) {
    for (SmallFloat const& type : kAll) {
        for (int bits = 0; bits < 1 << bitsOf(type); ++bits) {
            float const number = numberIn(type, static_cast<uint8_t>(bits));
            EXPECT_EQ(std::isnan(number), std::isnan(nearestIn(type, number, true)));
            if (std::isnan(number)) {
                EXPECT_TRUE(std::isnan(numberIn(type, bitsIn(type, number))));
                continue;
            }
            EXPECT_EQ(int{bitsIn(type, number)}, bits) << number;
            if (std::isfinite(number)) {
                EXPECT_EQ(nearestIn(type, number, true), number);
            }
        }
    }
}

/// By definition: no number is nearer, and of two equally near ones the one with even bits is chosen.
TEST(SmallFloat, roundsToTheNearest) {
    for (SmallFloat const& type : kAll) {
        std::vector<float> numbers; // positive, in rising order, so that even indices have even bits
        for (int bits = 0; bits < 1 << (bitsOf(type) - 1); ++bits) {
            float const number = numberIn(type, static_cast<uint8_t>(bits));
            if (std::isfinite(number)) numbers.push_back(number);
        }
        for (size_t i = 0; i + 1 < numbers.size(); ++i) {
            float const middle = (numbers[i] + numbers[i + 1]) / 2;
            EXPECT_EQ(nearestIn(type, middle, true), numbers[i % 2 == 0 ? i : i + 1]);
            EXPECT_EQ(nearestIn(type, std::nextafter(middle, 0.0F), true), numbers[i]);
            EXPECT_EQ(nearestIn(type, -std::nextafter(middle, INFINITY), true), -numbers[i + 1]);
        }
        EXPECT_EQ(nearestIn(type, 1e-42F, true), 0);
    }
}

// the tables of ONNX's Cast
TEST(SmallFloat, keepsOrLosesWhatIsOutOfRange) {
    EXPECT_EQ(nearestIn(e4m3fn(), INFINITY, true), 448);
    EXPECT_EQ(nearestIn(e4m3fnuz(), -1e9F, true), -240);
    EXPECT_EQ(nearestIn(e5m2(), INFINITY, true), 57344);
    EXPECT_TRUE(std::isnan(nearestIn(e4m3fn(), 480, false)));
    EXPECT_EQ(nearestIn(e4m3fn(), 464, false), 448); // half way, and even
    EXPECT_TRUE(std::isnan(nearestIn(e4m3fnuz(), INFINITY, false)));
    EXPECT_EQ(nearestIn(e5m2(), -1e9F, false), -INFINITY);
    EXPECT_TRUE(std::isnan(nearestIn(e5m2fnuz(), -1e9F, false)));
    EXPECT_EQ(nearestIn(e2m1(), INFINITY, false), 6);
    EXPECT_EQ(nearestIn(e2m1(), NAN, false), 0);
    EXPECT_FALSE(std::signbit(nearestIn(e5m2fnuz(), -0.0F, true)));
    EXPECT_TRUE(std::signbit(nearestIn(e5m2(), -0.0F, true)));
}

TEST(PowersOfTwo, areRoundedAsAsked) { // the table of ONNX's Cast; 2^n has the bits n + 127
    using enum PowerRounding;
    auto const bits = [](float x, PowerRounding rounding, bool saturate = true) {
        return int{powerBits(x, rounding, saturate)};
    };
    EXPECT_EQ(bits(1, Up), 127);
    EXPECT_EQ(bits(1.1F, Up), 128);
    EXPECT_EQ(bits(1.9F, Down), 127);
    EXPECT_EQ(bits(1.49F, Nearest), 127);
    EXPECT_EQ(bits(1.5F, Nearest), 128);
    EXPECT_EQ(bits(0, Up), 0);
    EXPECT_EQ(bits(0, Nearest, false), 255);
    EXPECT_EQ(bits(NAN, Up), 255);
    EXPECT_EQ(bits(INFINITY, Up), 254);
    EXPECT_EQ(bits(INFINITY, Nearest, false), 255);
    EXPECT_EQ(bits(3e38F, Up), 254);
    EXPECT_EQ(bits(3e38F, Nearest, false), 255);
    EXPECT_EQ(bits(std::ldexp(1.0F, -127), Up), 0);
    EXPECT_EQ(bits(std::ldexp(1.0F, -128), Up), 0);
    EXPECT_EQ(bits(std::ldexp(1.0F, -128), Nearest, false), 255);
    EXPECT_EQ(bits(std::ldexp(1.25F, -127), Up), 1);
    for (int power = 0; power < 255; ++power) {
        EXPECT_EQ(powerNumber(static_cast<uint8_t>(power)), std::ldexp(1.0F, power - 127));
    }
    EXPECT_TRUE(std::isnan(powerNumber(255)));
}

} // namespace
} // namespace tenon
