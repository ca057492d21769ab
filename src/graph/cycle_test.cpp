// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/cycle.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using Numbers = std::vector<size_t>;

Numbers cycleIn(std::vector<Numbers> const& dependencies) {
    return findCycle(dependencies.size(), [&](size_t i) { return dependencies[i]; });
}

TEST(Cycle, isEmptyWhereThereIsNone) {
    EXPECT_EQ(cycleIn({}), Numbers());
    EXPECT_EQ(cycleIn({{1, 2}, {3}, {3}, {}}), Numbers());
}

TEST(Cycle, leavesOutWhatOnlyLeadsIntoItOrComesFromIt) {
    EXPECT_EQ(cycleIn({{1}, {3}, {1}, {2}, {3}}), (Numbers{1, 2, 3})); // 2 depends on 1, 3 on 2, 1 on 3
}

TEST(Cycle, mayBeOneNumber) { EXPECT_EQ(cycleIn({{}, {0, 1}}), Numbers{1}); }

TEST(Cycle, isFoundInAsManyAsAModelMayHave) {
    constexpr size_t kCount = 1'000'000;
    auto const next = [](size_t i) { return Numbers{(i + 1) % kCount}; };
    Numbers const cycle = findCycle(kCount, next);
    ASSERT_EQ(cycle.size(), kCount);
    EXPECT_EQ(cycle[1], kCount - 1);
}

TEST(Cycle, isNamedUpToTwentyNames) {
    auto const name = [](size_t i) { return "n" + std::to_string(i); };
    EXPECT_EQ(cycleText({3, 4}, name), "n3, n4");
    Numbers const twenty(20, 7);
    EXPECT_EQ(cycleText(Numbers(22, 7), name), cycleText(twenty, name) + ", ... (22 in all)");
}

} // namespace
} // namespace tenon
