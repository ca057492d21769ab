// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace tenon {
namespace {

using Ranges = std::set<std::pair<int64_t, int64_t>>;

Ranges rangesOf(int64_t count, int64_t grain) {
    std::mutex mutex;
    Ranges ranges;
    parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        std::lock_guard const lock(mutex);
        ranges.emplace(begin, end);
    });
    return ranges;
}

TEST(ParallelFor, cutsAlikeForAnyLimit) {
    EXPECT_EQ(rangesOf(10, 10), (Ranges{{0, 10}}));
    EXPECT_EQ(rangesOf(10, 4),
              (Ranges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 10}}));
    EXPECT_EQ(rangesOf(20, 16), (Ranges{{0, 4}, {4, 8}, {8, 12}, {12, 16}, {16, 20}}));
    EXPECT_EQ(rangesOf(0, 1), Ranges());
    Ranges const unlimited = rangesOf(100'000, 100);
    for (int const threads : {1, 2, 3, 8}) {
        ThreadLimit const limit(threads);
        EXPECT_EQ(rangesOf(100'000, 100), unlimited) << threads;
    }
}

TEST(ParallelFor, runsOnTheCallerWhereTheLimitIsOne) {
    ThreadLimit const outer(4);
    {
        ThreadLimit const limit(1);
        auto const me = std::this_thread::get_id();
        parallelFor(1000, 1, [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), me); });
        EXPECT_EQ(usefulSlots(1000, 1), 1);
    }
    EXPECT_EQ(usefulSlots(1000, 1), 4);
    EXPECT_EQ(usefulSlots(1000, 500), 2);
    EXPECT_EQ(usefulSlots(1000, 1000), 1);
    EXPECT_EQ(usefulSlots(0, 1), 1);
}

TEST(ParallelForSlots, usesNoMoreSlotsThanItIsGiven) {
    ThreadLimit const limit(8);
    for (int const slots : {1, 2, 5}) {
        std::atomic<int> most = 0;
        std::atomic<int64_t> sum = 0;
        parallelForSlots(1000, 1, slots, [&](int64_t begin, int64_t end, int slot) {
            for (int before = most; before < slot && !most.compare_exchange_weak(before, slot);) {
            }
            sum += end - begin;
            std::this_thread::yield();
        });
        EXPECT_LT(most, slots);
        EXPECT_EQ(sum, 1000);
    }
    parallelForSlots(0, 1, 2, [](int64_t, int64_t, int) { ADD_FAILURE(); });
    parallelForSlots(3, 3, 2, [](int64_t begin, int64_t end, int slot) { EXPECT_EQ(begin + end + slot, 3); });
}

TEST(ParallelTasks, runsEachOnceAndInABodyToo) {
    ThreadLimit const limit(3);
    std::vector<std::atomic<int>> runs(2000);
    parallelFor(4, 1,
                [&](int64_t, int64_t) { parallelTasks(2000, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; }); });
    EXPECT_TRUE(std::ranges::all_of(runs, [](auto const& count) { return count == 4; }));
}

TEST(ParallelTasks, startsNoMoreAfterOneThatThrew) {
    for (int const threads : {1, 3}) {
        ThreadLimit const limit(threads);
        std::atomic<int> afterwards = 0;
        std::atomic<bool> hasThrown = false;
        auto const task = [&](int64_t i) {
            if (i == 5) {
                hasThrown = true;
                throw i;
            }
            if (!hasThrown) return;
            ++afterwards; // until the exception is caught
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        EXPECT_THROW(parallelTasks(100'000, task), int64_t);
        EXPECT_LT(afterwards, 1000);
    }
}

TEST(DefaultThreads, areThoseOfTheEnvironment) {
    setenv("TENON_THREADS", "7", 1);
    EXPECT_EQ(defaultThreads(), 7);
    EXPECT_EQ(usefulSlots(1000, 1), 7);
    for (char const* const wrong : {"", "0", "-1", "1025", "2x", "two"}) {
        setenv("TENON_THREADS", wrong, 1);
        EXPECT_THROW(defaultThreads(), Error) << wrong;
        EXPECT_GE(usefulSlots(1000, 1), 1) << "a loop has nobody to tell";
    }
    unsetenv("TENON_THREADS");
    EXPECT_GE(defaultThreads(), 1);
}

int64_t threadsOfThisProcess() {
    using Entries = std::filesystem::directory_iterator;
    return std::distance(Entries("/proc/self/task"), Entries());
}

// A thread that has ended is still visible for a moment.
TEST(ThreadLimitOnce, leavesNoThreadsOfOpenMpBehind) {
    std::thread([] { // a thread that never started others
        int64_t const before = threadsOfThisProcess();
        {
            ThreadLimitOnce const limit(4);
            std::atomic<int> threads = 0;
#pragma omp parallel
            ++threads;
            EXPECT_EQ(threads, 4);
        }
        for (int i = 0; i < 1000 && threadsOfThisProcess() > before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(threadsOfThisProcess(), before);
    })
        .join();
}

// The threads that ended may be started again.
TEST(ThreadLimitOnce, mayBeFollowedByMoreWork) {
    for (int i = 0; i < 3; ++i) {
        ThreadLimitOnce const limit(4);
        std::array<int, 8> seen{};
        parallelFor(8, 1, [&](int64_t begin, int64_t end) {
            for (int64_t at = begin; at < end; ++at) seen[static_cast<size_t>(at)] = 1;
        });
        EXPECT_EQ(std::ranges::count(seen, 1), 8);
    }
}

} // namespace
} // namespace tenon
