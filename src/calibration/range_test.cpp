// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <functional>
#include <numeric>

namespace tenon {
namespace {

using Values = std::vector<float>;

/// The generator of record_range.py: the same numbers from 0 to 1.
Values spread(size_t count) {
    Values values(count);
    uint32_t state = 12345;
    for (float& value : values) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(state >> 8) / 16777216;
    }
    return values;
}

Histogram histogramOf(Values const& values) {
    Histogram histogram;
    histogram.add(values);
    return histogram;
}

struct Expected {
    double entropy = 0;
    double close = 0;
};

/// The results that record_range.py wrote for the distribution.
Expected expectedOf(std::string const& wanted) {
    std::ifstream file("src/calibration/range_test.txt");
    std::string name;
    Expected expected;
    while (file >> name >> expected.entropy >> expected.close) {
        if (name == wanted) return expected;
    }
    ADD_FAILURE() << wanted << " is not in the file";
    return {};
}

void expectRanges(std::string const& name, Values const& values) {
    Histogram const histogram = histogramOf(values);
    Expected const expected = expectedOf(name);
    // A value on the border of two bins may be counted in either.
    EXPECT_NEAR(entropyRange(histogram), expected.entropy, 2 * histogram.width()) << name;
    EXPECT_NEAR(closeEntropyRange(histogram), expected.close, 2 * histogram.width()) << name;
}

Values made(size_t count, std::function<float(size_t)> const& f) {
    Values values(count);
    for (size_t i = 0; i < count; ++i) values[i] = f(i);
    return values;
}

TEST(EntropyRange, isWhereTheDivergenceIsLeast) {
    Values const u = spread(40000);
    constexpr size_t kPart = 10000;
    auto const product = [&](size_t i, size_t factors) {
        float value = u[i];
        for (size_t part = 1; part < factors; ++part) value *= u[part * kPart + i];
        return value;
    };
    expectRanges("products", made(kPart, [&](size_t i) { return product(i, 4); }));
    expectRanges("long_tail", made(u.size(), [&](size_t i) { return 1 / (u[i] + 0.01F); }));
    expectRanges("rectified", made(kPart, [&](size_t i) { return std::max(product(i, 3) - 0.25F, 0.0F); }));
    expectRanges("even_background", made(u.size(), [&](size_t i) { return u[i] < 0.6F ? 0.25F : u[i]; }));
    expectRanges("even", u);
}

// 0x3c010a14 · 127 = 2048.5 / 2048: the entry of TensorRT's calibration caches for probabilities (the line "prob" in
// those of its own samples), whose range is 1.
TEST(EntropyRange, isHalfABinMoreThanTheLargestValueWhereNothingIsCut) {
    Values const values{1, 0.5F, 0.25F};
    EXPECT_EQ(static_cast<float>(entropyRange(histogramOf(values)) / 127), std::bit_cast<float>(0x3c010a14U));
    EXPECT_EQ(static_cast<float>(closeEntropyRange(histogramOf(values)) / 127), std::bit_cast<float>(0x3c010a14U));
}

TEST(EntropyRange, isTheSameOfNegativeValues) {
    Values values = spread(5000);
    for (float& value : values) value *= value * value * value;
    double const range = entropyRange(histogramOf(values));
    for (size_t i = 0; i < values.size(); i += 2) values[i] = -values[i];
    EXPECT_EQ(entropyRange(histogramOf(values)), range);
}

TEST(EntropyRange, isNoneWhereAllValuesAreZero) {
    EXPECT_EQ(entropyRange(histogramOf(Values(100))), 0);
    EXPECT_EQ(closeEntropyRange(histogramOf(Values(100))), 0);
    EXPECT_EQ(entropyRange({}), 0);
}

// 1, 2 … 1000: half of them are at most 500
TEST(QuantileRange, hasThisPartOfTheValuesBelowIt) {
    Values values(1000);
    std::iota(values.begin(), values.end(), 1.0F);
    Histogram const histogram = histogramOf(values);
    EXPECT_NEAR(quantileRange(histogram, 0.5, 1), 500, histogram.width());
    EXPECT_NEAR(quantileRange(histogram, 0.99, 1), 990, histogram.width());
    EXPECT_EQ(quantileRange(histogram, 1, 1), 1000);
    EXPECT_EQ(quantileRange(histogram, 1, 0.25), 250);
    EXPECT_EQ(quantileRange(histogram, 0, 0.25), 250);
    EXPECT_EQ(quantileRange(histogram, 0, 0), 1000); // neither is requested
}

TEST(QuantileRange, countsZeros) {
    Values values(1000);
    values[0] = 1;
    Histogram const histogram = histogramOf(values);
    EXPECT_EQ(quantileRange(histogram, 0.5, 1), histogram.width()); // a range is never 0
    EXPECT_EQ(quantileRange(histogram, 1, 1), 1);
    EXPECT_EQ(quantileRange(histogramOf(Values(10)), 0.5, 1), 0);
}

} // namespace
} // namespace tenon
