// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

namespace tenon {
namespace {

int64_t threadsOfThisProcess() {
    using Entries = std::filesystem::directory_iterator;
    return std::distance(Entries("/proc/self/task"), Entries());
}

// A thread that ends is there for a moment yet.
TEST(ThreadLimitOnce, leavesNoThreadsBehind) {
    std::thread([] { // one that never had others
        int64_t const before = threadsOfThisProcess();
        {
            ThreadLimitOnce const limit(4);
            parallelFor(4, 1, [](int64_t, int64_t) {});
        }
        for (int i = 0; i < 1000 && threadsOfThisProcess() > before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(threadsOfThisProcess(), before);
    })
        .join();
}

// The threads that were given back may be had again.
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
