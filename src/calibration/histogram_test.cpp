// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace tenon {
namespace {

using Values = std::vector<float>;

int64_t counted(Histogram const& histogram) {
    return std::accumulate(histogram.counts().begin(), histogram.counts().end(), histogram.zeros());
}

TEST(Histogram, countsMagnitudesInBinsUpToTheLargest) {
    Histogram histogram;
    histogram.add(Values{-2048, 0.5F, -1.5F, 1.25F, 0, -0.0F});
    EXPECT_EQ(histogram.most(), 2048);
    EXPECT_EQ(histogram.width(), 1);
    EXPECT_EQ(histogram.zeros(), 2);
    ASSERT_EQ(histogram.counts().size(), Histogram::kBins);
    EXPECT_EQ(histogram.counts()[0], 1);
    EXPECT_EQ(histogram.counts()[1], 2);
    EXPECT_EQ(histogram.counts()[2047], 1); // the last bin includes its upper end
}

TEST(Histogram, growsBySameBinsUntilThereAreTwiceAsMany) {
    Histogram histogram;
    histogram.add(Values{2048, 100.5F});
    histogram.add(Values{3000});
    EXPECT_EQ(histogram.width(), 1);
    EXPECT_EQ(histogram.counts().size(), 3000U);
    EXPECT_EQ(histogram.counts()[100], 1);
    histogram.add(Values{4096});
    EXPECT_EQ(histogram.counts().size(), 4096U);
}

TEST(Histogram, joinsBinsInPairsForMuchLargerValues) {
    Histogram histogram;
    histogram.add(Values{2048, 100.5F, 101.5F});
    histogram.add(Values{40960});
    EXPECT_EQ(histogram.width(), 16); // 2560 bins of 16; of 8 there would be 5120
    EXPECT_EQ(histogram.counts().size(), 2560U);
    EXPECT_EQ(histogram.counts()[6], 2);
    EXPECT_EQ(histogram.counts()[127], 1);
    EXPECT_EQ(histogram.counts()[2559], 1);
}

TEST(Histogram, takesTheFirstValuesThatAreNotAllZeroForItsWidth) {
    Histogram histogram;
    histogram.add(Values{0, 0});
    EXPECT_TRUE(histogram.counts().empty());
    histogram.add(Values{2048, 0});
    EXPECT_EQ(histogram.width(), 1);
    EXPECT_EQ(histogram.zeros(), 3);
}

TEST(Histogram, losesNoValueOfManyInSeveralThreads) {
    Values values(1000003);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 4096);
    Histogram histogram;
    histogram.add(values);
    histogram.add(values);
    EXPECT_EQ(counted(histogram), 2 * 1000003);
    EXPECT_EQ(histogram.zeros(), 2 * 245); // 1000003 / 4096 = 244.1…
}

TEST(Histogram, tellsSmallestNumbersApart) {
    float const least = std::numeric_limits<float>::denorm_min();
    Histogram histogram;
    histogram.add(Values{least, 2 * least});
    EXPECT_EQ(histogram.counts()[1024], 1);
    EXPECT_EQ(histogram.counts()[2047], 1);
}

TEST(LargestMagnitude, isNotFiniteWhereAValueIsNot) {
    EXPECT_EQ(largestMagnitude(Values{1, -3, 2}), 3);
    EXPECT_EQ(largestMagnitude({}), 0);
    EXPECT_EQ(largestMagnitude(Values{1, -INFINITY}), INFINITY);
    EXPECT_TRUE(std::isnan(largestMagnitude(Values{1, -std::nanf(""), 7})));
    EXPECT_TRUE(std::isnan(largestMagnitude(Values{INFINITY, std::nanf("")})));
}

} // namespace
} // namespace tenon
