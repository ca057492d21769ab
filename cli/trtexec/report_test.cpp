// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace trtexec {
namespace {

TEST(Statistics, OfOneToHundred) {
    std::vector<double> values(100);
    std::iota(values.rbegin(), values.rend(), 1.0); // 100, 99, ... 1: order does not matter
    Statistics const statistics = statisticsOf(values, {0, 50, 90, 95, 99, 100});
    EXPECT_EQ(statistics.min, 1);
    EXPECT_EQ(statistics.max, 100);
    EXPECT_EQ(statistics.mean, 50.5);
    EXPECT_EQ(statistics.median, 50.5);
    // the number of values above equals the remaining percentage
    EXPECT_EQ(statistics.percentiles[0], 1);
    EXPECT_EQ(statistics.percentiles[1], 50);
    EXPECT_NEAR(statistics.percentiles[2], 90, 1);
    EXPECT_NEAR(statistics.percentiles[3], 95, 1);
    EXPECT_NEAR(statistics.percentiles[4], 99, 1);
    EXPECT_EQ(statistics.percentiles[5], 100);
    EXPECT_NEAR(statistics.variation, std::sqrt((100.0 * 100 - 1) / 12) / 50.5 * 100,
                1e-9); // of a uniform distribution
}

TEST(Statistics, OfOneValue) {
    Statistics const statistics = statisticsOf({4}, {90});
    EXPECT_EQ(statistics.median, 4);
    EXPECT_EQ(statistics.percentiles[0], 4);
    EXPECT_EQ(statistics.variation, 0);
}

TEST(Statistics, MedianOfAnOddNumber) { EXPECT_EQ(statisticsOf({3, 1, 2}, {}).median, 2); }

TEST(Number, HasSixDigitsAndNoExponent) {
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(3), "3");
    EXPECT_EQ(number(0.25), "0.25");
    EXPECT_EQ(number(1.0 / 3), "0.333333");
    EXPECT_EQ(number(1234.5678), "1234.57");
    EXPECT_EQ(number(1e7), "10000000");
    EXPECT_EQ(number(0.0000123456), "0.000012346");
    EXPECT_EQ(number(-2.5), "-2.5");
    EXPECT_EQ(number(1e-12), "0");
    EXPECT_EQ(number(NAN), "nan");
}

TEST(Number, MeasuredHasADecimalPoint) {
    EXPECT_EQ(measured(0), "0.0");
    EXPECT_EQ(measured(54781), "54781.0");
    EXPECT_EQ(measured(0.5), "0.5");
}

TEST(Text, SplitKeepsEmptyPieces) {
    EXPECT_EQ(split("", ','), std::vector<std::string>());
    EXPECT_EQ(split("a", ','), std::vector<std::string>{"a"});
    EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
}

TEST(Text, AStarMatchesAnything) {
    EXPECT_TRUE(matches("in*put", "input"));
    EXPECT_TRUE(matches("in*", "input:0"));
    EXPECT_TRUE(matches("*", ""));
    EXPECT_FALSE(matches("in*nput", "input")); // the two ends may not overlap
    EXPECT_FALSE(matches("input", "input:0"));
}

TEST(Text, JsonEscapes) { EXPECT_EQ(jsonString("a\"b\\c\n"), R"("a\"b\\c\u000a")"); }

} // namespace
} // namespace trtexec
