// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/slow_runs.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using namespace std::chrono_literals;

TEST(SlowRuns, areTenTimesAsLongAndFiveMillisecondsLonger) {
    SlowRuns runs;
    EXPECT_FALSE(runs.isSlow(1s)); // of which nothing is known
    EXPECT_FALSE(runs.isSlow(1ms));
    EXPECT_FALSE(runs.isSlow(10ms));
    EXPECT_TRUE(runs.isSlow(11ms));
    EXPECT_EQ(runs.fastest(), 1ms);

    SlowRuns small;
    small.isSlow(10us);
    EXPECT_FALSE(small.isSlow(5ms)); // like a run that sleeps for a moment
    EXPECT_TRUE(small.isSlow(6ms));
}

TEST(SlowRuns, areToldOnce) {
    SlowRuns runs;
    runs.isSlow(1ms);
    EXPECT_TRUE(runs.isSlow(100ms));
    EXPECT_TRUE(runs.isSlow(100ms)); // since the machine was not busy
    runs.wasSaid();
    EXPECT_FALSE(runs.isSlow(100ms));
    runs.forgetFastest();
    runs.isSlow(1ms);
    EXPECT_FALSE(runs.isSlow(100ms));
}

TEST(SlowRuns, areComparedWithThoseOfTheSameShapes) {
    SlowRuns runs;
    runs.isSlow(1ms);
    runs.forgetFastest();
    EXPECT_FALSE(runs.isSlow(100ms));
    EXPECT_FALSE(runs.isSlow(500ms));
    EXPECT_TRUE(runs.isSlow(1100ms));
}

TEST(SlowRuns, areNotComparedWithTheFirstRunOfTheirShapes) {
    SlowRuns runs;
    int const a = 0;
    int const b = 0;
    EXPECT_FALSE(runs.ended(&a, 1ns)); // it prepared the shapes
    EXPECT_EQ(runs.fastest(), SlowRuns::Duration::max());
    EXPECT_FALSE(runs.ended(&a, 2ms));
    EXPECT_EQ(runs.fastest(), 2ms);
    EXPECT_FALSE(runs.ended(&b, 1ms));
    EXPECT_EQ(runs.fastest(), SlowRuns::Duration::max());
    runs.ended(&b, 3ms);
    EXPECT_EQ(runs.fastest(), 3ms);
    runs.forgetShapes();
    runs.ended(&b, 1ms);
    EXPECT_EQ(runs.fastest(), SlowRuns::Duration::max()) << "other shapes with the same identity";
}

TEST(SlowRuns, ofABusyMachineSayHowBusy) {
    if (auto const said = busyMachine(61ms, 107us)) {
        EXPECT_EQ(
            said->find(
                "a run took 61000 us, the fastest one 107 us: other work may have kept its threads from running ("),
            0U)
            << *said;
        EXPECT_NE(said->find(" CPUs in the affinity, "), std::string::npos) << *said;
    }
}

} // namespace
} // namespace tenon
