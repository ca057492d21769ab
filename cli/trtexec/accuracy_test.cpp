// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trtexec {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

double loss(AccuracyAlgorithm algorithm, Values const& found, Values const& expected) {
    return accuracyLoss({.pairs = {}, .algorithm = algorithm, .absolute = 0.1, .relative = 0.01}, found, expected);
}

TEST(Accuracy, MeasuresAreThoseOfTheirFormulas) {
    Values const found{1, 2, 3, 4};
    Values const expected{1, 2.5, 3, 2};
    EXPECT_DOUBLE_EQ(loss(AccuracyAlgorithm::kL0, found, expected), 2.0 / 4);
    EXPECT_DOUBLE_EQ(loss(AccuracyAlgorithm::kL1, found, expected), 2.5 / 4);
    EXPECT_DOUBLE_EQ(loss(AccuracyAlgorithm::kL2, found, expected), 4.25 / 4);
    EXPECT_DOUBLE_EQ(loss(AccuracyAlgorithm::kLInf, found, expected), 2);
    EXPECT_DOUBLE_EQ(loss(AccuracyAlgorithm::kCosine, found, expected), 1 - 23 / std::sqrt(30 * 20.25));
}

TEST(Accuracy, TolerancesAreInclusiveAndRelativeToWhatIsExpected) {
    EXPECT_EQ(loss(AccuracyAlgorithm::kL0, {100.5, 102}, {100, 100}), 0.5);
    EXPECT_EQ(loss(AccuracyAlgorithm::kL0, {8.25}, {8}), 1); // 0.1 + 0.01 * 8
}

TEST(Accuracy, EqualNanAndInfinityAreEqual) {
    Values const values{kNan, kInfinity, -kInfinity};
    for (auto const algorithm :
         {AccuracyAlgorithm::kL0, AccuracyAlgorithm::kL1, AccuracyAlgorithm::kL2, AccuracyAlgorithm::kLInf})
        EXPECT_EQ(loss(algorithm, values, values), 0);
}

TEST(Accuracy, OneNanIsNeverAccurate) {
    EXPECT_EQ(loss(AccuracyAlgorithm::kL0, {kNan, 1}, {0, 1}), 0.5);
    EXPECT_EQ(loss(AccuracyAlgorithm::kL0, {kInfinity}, {-kInfinity}), 1);
    for (auto const algorithm :
         {AccuracyAlgorithm::kL1, AccuracyAlgorithm::kL2, AccuracyAlgorithm::kLInf, AccuracyAlgorithm::kCosine})
        EXPECT_TRUE(std::isnan(loss(algorithm, {1, kNan, 5}, {1, 2, 3})));
}

TEST(Accuracy, ZerosAndNoElementsHaveALoss) {
    EXPECT_EQ(loss(AccuracyAlgorithm::kCosine, {0, 0}, {0, 0}), 0);
    EXPECT_EQ(loss(AccuracyAlgorithm::kCosine, {0, 0}, {1, 0}), 1);
    EXPECT_EQ(loss(AccuracyAlgorithm::kL1, {}, {}), 0);
}

} // namespace
} // namespace trtexec
