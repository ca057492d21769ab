// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Behaviour of the choice among regions that no plugin's cases cover.
#include "proposals.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>
#include <vector>

namespace tenon::plugins {
namespace {

// Of 10 scores and 3 classes, so that many are equal; every seventh box equals the one before it, the others do not
// overlap.
constexpr int32_t kRegions = 20'000, kScores = 10, kClasses = 3;
Sureness surenessOf(int64_t region) { return {float(region * 7919 % kScores), int32_t(region * 31 % kClasses)}; }
Box boxOf(Candidate const& candidate) {
    auto const place = float((candidate.box % 7 == 6 ? candidate.box - 1 : candidate.box) * 2);
    return {place, 0, place + 1, 1};
}

// Score, class and index of the kept regions, for the given number of cheap steps per region.
std::vector<std::tuple<float, int32_t, float>> chosen(int64_t steps, int64_t most) {
    Selection selection;
    std::vector<std::tuple<float, int32_t, float>> all;
    for (int run = 0; run < 2; ++run) { // the second in the memory of the first
        all.clear();
        selection.clear();
        selection.add(kRegions, {2'000, 0.5F, most}, surenessOf, boxOf, steps);
        for (Candidate const& each : selection.best(most))
            all.emplace_back(each.score, each.label, selection.boxOf(each).x1);
    }
    return all;
}

TEST(Selection, IsTheSameInPartsOfAnySize) {
    auto const expected = chosen(1 << 14, 2'000); // one part per thread
    ASSERT_GT(expected.size(), 1'500U);
    EXPECT_EQ(chosen(1, 2'000), expected);
    EXPECT_EQ(chosen(100, 2'000), expected);
    EXPECT_EQ(chosen(1, 1'000), (decltype(chosen(1, 1)){expected.begin(), expected.begin() + 1'000}));
}

TEST(Selection, OfEqualScoresTakesTheSmallerClassAndThenTheSmallerNumber) {
    std::vector<std::tuple<float, int32_t, float>> const all = chosen(1 << 14, 2'000);
    EXPECT_TRUE(std::ranges::is_sorted(all, [](auto const& a, auto const& b) {
        return std::tuple(-std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
               std::tuple(-std::get<0>(b), std::get<1>(b), std::get<2>(b));
    }));
}

TEST(Selection, RefusesMoreRegionsThanHaveNumbers) {
    Selection selection;
    selection.clear();
    try {
        selection.add(int64_t(1) << 31, {1, 0.5F, 1}, surenessOf, boxOf, 1);
        FAIL();
    } catch (std::invalid_argument const& error) {
        EXPECT_STREQ(error.what(), "there are 2147483648 regions in an image; expected at most 2147483647");
    }
}

} // namespace
} // namespace tenon::plugins
