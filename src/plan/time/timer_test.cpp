// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/timer.h"

#include "base/error.h"

#include <gtest/gtest.h>
#include <limits>

namespace tenon {
namespace {

constexpr double kMillisecond = 1e6; // in nanoseconds

using Numbers = std::vector<size_t>;

std::string logged;

Log recording() {
    logged.clear();
    return [](Severity, std::string const& line) { logged += line; };
}

TEST(Timer, takesTheLargestShareOfTheTimeFirst) {
    Tuning const tuning;
    Log const log;
    Timer timer(tuning, "here", log);
    std::vector<Timer::Problem> const problems{
        {2, 0.1 * kMillisecond}, {2, 1 * kMillisecond}, {2, 0.2 * kMillisecond, 10}};
    EXPECT_EQ(timer.choose(problems), (Numbers{2, 1, 0}));
}

TEST(Timer, choosesByEstimatesNotByTheClock) {
    Tuning tuning;
    tuning.seconds = 1;
    tuning.rounds = 4; // 41 runs in all
    Log const log;
    Timer timer(tuning, "here", log);
    std::vector<Timer::Problem> const problems{{2, 10 * kMillisecond}, {3, 9 * kMillisecond}, {1, 1 * kMillisecond}};
    EXPECT_EQ(timer.choose(problems), (Numbers{0, 2}));           // 0.84 s; the next one would take 1.137; 0.051
    EXPECT_EQ(timer.choose({{1, 10 * kMillisecond}}), Numbers{}); // 0.109 s are left
}

TEST(Timer, hasNoTimeForWhatWouldTakeForever) {
    Tuning const tuning;
    Log const log;
    Timer timer(tuning, "here", log);
    EXPECT_EQ(timer.choose({{1, std::numeric_limits<double>::infinity()}}), Numbers{});
    EXPECT_EQ(timer.choose({{SIZE_MAX, 1}}), Numbers{});
}

TEST(Timer, warnsOfWhatFailsAndHasNoTimeForIt) {
    Tuning const tuning;
    Log const log = recording();
    Timer const timer(tuning, "here", log);
    EXPECT_EQ(timer.time("conv1: way 3", [](int) -> double { fail(ErrorCode::Internal, "it is broken"); }),
              std::nullopt);
    EXPECT_EQ(logged, "conv1: way 3 is excluded, since it failed during timing: it is broken");
    EXPECT_EQ(timer.time("conv1: way 4", [](int) { return std::numeric_limits<double>::infinity(); }), std::nullopt);
}

TEST(Timer, announcesWhatItTimes) {
    Tuning tuning;
    tuning.announces = true;
    Log const log = recording();
    std::string before;
    Timer(tuning, "here", log).time("conv1: way 3", [&](int) { return before = logged, 1.0; });
    EXPECT_EQ(before, "conv1: way 3: is timed");
}

// The format that applications parse to change a timing cache: "Autotuning op %[^(](key: %[^)])", a line with
// "tactic_id, cost(in ms), cost/fastest_cost", rows of "%d, %f, %f, %f, %[^,], %[^,]", and "(tactic hash, cost(in
// ms)):%[^,]".
TEST(Timer, tellsWhatWasTried) {
    Tuning const tuning;
    std::vector<std::string> lines;
    Log const log = [&](Severity severity, std::string const& line) {
        if (severity == Severity::Verbose) lines.push_back(line);
    };
    TimingCache::Key key{};
    key[0] = 0x18;
    key[15] = 0xd7;
    Timer(tuning, "here", log).tell("conv1", key, {{30, 3e6, "slow"}, {5, 1.5e6, "quick"}}, 5);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0], "Autotuning op conv1(key: 0x180000000000000000000000000000d7):");
    EXPECT_NE(lines[1].find("tactic_id, cost(in ms), cost/fastest_cost"), std::string::npos);
    EXPECT_EQ(lines[2], "0, 1.5, 1, 1, quick, 0x5,");
    EXPECT_EQ(lines[3], "1, 3, 2, 1, slow, 0x1e,");
    EXPECT_EQ(lines[4], "The selected tactic is (tactic hash, cost(in ms)):0x5, 1.5");
}

} // namespace
} // namespace tenon
