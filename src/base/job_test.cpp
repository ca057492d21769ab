// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/job.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace tenon {
namespace {

constexpr auto kNever = [] { return false; };

/// Counts how often each index is computed.
struct Counts {
    std::vector<int> of = std::vector<int>(100);
    int lastSlot = -1;

    auto body() {
        return [this](int64_t begin, int64_t end, int slot) {
            for (int64_t i = begin; i < end; ++i) ++of[static_cast<size_t>(i)];
            lastSlot = slot;
        };
    }
    bool areAll(int count) const {
        return std::ranges::all_of(of, [=](int each) { return each == count; });
    }
};

TEST(AJob, isNotHeldUpByAHelperThatHasTakenNoChunk) {
    Job job;
    ASSERT_TRUE(job.acquire());
    EXPECT_FALSE(job.acquire());
    Counts counts;
    auto const body = counts.body();
    Job::Seat const own = job.open(Chunks(100, 1), 2, body);
    auto const late = job.enter();
    ASSERT_TRUE(late);
    EXPECT_EQ(late->slot, 1);
    EXPECT_EQ(job.freeSeats(), 1);
    EXPECT_FALSE(job.compute(own, 0, kNever));
    job.wait(std::chrono::nanoseconds::zero());
    EXPECT_TRUE(counts.areAll(1));

    EXPECT_FALSE(job.compute(*late, 1, kNever)) << "finds nothing to do";
    EXPECT_TRUE(counts.areAll(1));
    Job::Seat const next = job.open(Chunks(100, 1), 2, body);
    EXPECT_FALSE(job.compute(*late, 1, kNever)) << "its seat was in the loop before";
    EXPECT_TRUE(counts.areAll(1));
    job.compute(next, 0, kNever);
    job.wait(std::chrono::nanoseconds::zero());
    EXPECT_TRUE(counts.areAll(2));
    job.release();
    EXPECT_TRUE(job.acquire());
}

TEST(AJob, isDoneByItsHelpersToo) {
    Job job;
    Counts counts;
    auto const body = counts.body();
    Job::Seat const own = job.open(Chunks(100, 1), 2, body);
    job.enter();
    auto const helper = job.enter();
    EXPECT_EQ(helper->slot, 2);
    EXPECT_FALSE(job.enter()) << "no more seats";
    job.compute(*helper, 1, kNever);
    EXPECT_TRUE(counts.areAll(1));
    EXPECT_EQ(counts.lastSlot, 2);
    job.compute(own, 0, kNever);
    job.wait(std::chrono::nanoseconds::zero());
    EXPECT_EQ(counts.lastSlot, 2);
}

TEST(AJob, isLeftBetweenChunks) {
    Job job;
    Counts counts;
    auto const body = counts.body();
    Job::Seat const own = job.open(Chunks(100, 1), 1, body);
    auto const helper = job.enter();
    int left = 10;
    EXPECT_TRUE(job.compute(*helper, 1, [&] { return --left == 0; }));
    EXPECT_EQ(std::ranges::count(counts.of, 1), 10);
    job.compute(own, 0, kNever);
    job.wait(std::chrono::nanoseconds::zero());
    EXPECT_TRUE(counts.areAll(1));
}

TEST(AJob, waitsForAHelperThatHoldsAChunk) {
    Job job;
    std::atomic<bool> holds = false;
    std::atomic<int> done = 0;
    auto const body = [&](int64_t, int64_t, int slot) {
        if (slot == 1 && !holds.exchange(true)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ++done;
    };
    Job::Seat const own = job.open(Chunks(100, 1), 1, body);
    std::thread helper([&] { job.compute(*job.enter(), 1, kNever); });
    while (!holds) std::this_thread::yield();
    job.compute(own, 0, kNever);
    job.wait(std::chrono::microseconds(1));
    EXPECT_EQ(done, 100);
    helper.join();
}

} // namespace
} // namespace tenon
