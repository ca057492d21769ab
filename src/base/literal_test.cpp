// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/literal.h"

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace tenon {
namespace {

struct Counted {
    std::shared_ptr<int> fills = std::make_shared<int>(0);
    Literal literal = Literal::later(DataType::Int32, {2}, [fills = fills](std::byte* to) {
        ++*fills;
        int32_t const values[]{7, 8};
        std::memcpy(to, values, sizeof values);
    });
};

TEST(LiteralToBeMade, isMadeOnceWhenItIsLookedAt) {
    Counted const counted;
    Literal const copy = counted.literal.reshaped({1, 2});
    EXPECT_TRUE(copy);
    EXPECT_FALSE(copy.isLent());
    EXPECT_EQ(copy.bytes(), 8U);
    EXPECT_EQ(*counted.fills, 0);
    EXPECT_EQ(counted.literal.toInt64(), (std::vector<int64_t>{7, 8}));
    EXPECT_EQ(copy.data(), counted.literal.data());
    EXPECT_EQ(copy.identity(), counted.literal.identity());
    EXPECT_EQ(*counted.fills, 1);
}

TEST(LiteralToBeMade, isWrittenAnywhereWithoutBeingKept) {
    Counted const counted;
    alignas(4) std::byte room[8];
    counted.literal.copyTo(room);
    EXPECT_EQ(std::memcmp(room, counted.literal.present().data(), sizeof room), 0);
    EXPECT_EQ(*counted.fills, 2);
}

TEST(LiteralToBeMade, equalsOneThatIsThere) {
    EXPECT_EQ(Counted().literal, Literal::of({2}, std::vector<int32_t>{7, 8}));
    EXPECT_FALSE(Literal());
}

TEST(ParallelTasks, runsEachOnceAndTellsOfTheLowestThatFailed) {
    ThreadLimit const limit(3);
    std::vector<std::atomic<int>> runs(100);
    parallelTasks(100, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
    for (auto const& count : runs) EXPECT_EQ(count, 1);
    auto const failing = [](int64_t i) {
        if (i == 0 || i == 7) throw std::runtime_error(std::to_string(i));
    };
    try {
        parallelTasks(100, failing);
        FAIL() << "nothing was thrown";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "0");
    }
}

} // namespace
} // namespace tenon
