// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/plan_streams.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace tenon {
namespace {

constexpr int kFork = StepPlace::kFork;

using Numbers = std::vector<int>;

Numbers streamsOf(std::vector<StepPlace> const& places) {
    Numbers streams;
    for (StepPlace const& place : places) streams.push_back(place.stream);
    return streams;
}

TEST(PlanStreams, leavesAChainInTheCallersStream) {
    std::vector<StepNeeds> const chain{{{}}, {{0}}, {{1}}, {{2}}};
    EXPECT_TRUE(planStreams(chain, 3).empty());
    EXPECT_EQ(auxiliaryStreams(planStreams(chain, 3)), 0);
}

TEST(PlanStreams, plansNothingWhereNoneIsWanted) {
    std::vector<StepNeeds> const branches{{{}}, {{0}}, {{0}}, {{1, 2}}};
    EXPECT_TRUE(planStreams(branches, 0).empty());
}

TEST(PlanStreams, runsTheSidesOfADiamondAtOnce) {
    //     ┌ 1 ┐
    //   0 ┤   ├ 3
    //     └ 2 ┘
    auto const places = planStreams(std::vector<StepNeeds>{{{}}, {{0}}, {{0}}, {{1, 2}}}, 3);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 0}));
    EXPECT_EQ(places[2].waits, Numbers{0});
    EXPECT_EQ(places[2].firstBeside, 1);
    EXPECT_EQ(places[3].waits, Numbers{2});
    EXPECT_EQ(places[3].firstBeside, 3);
    EXPECT_TRUE(places[0].isAwaited && places[2].isAwaited);
    EXPECT_FALSE(places[1].isAwaited || places[3].isAwaited);
    EXPECT_FALSE(places[0].forks) << "what is in another stream comes after step 0 anyway";
    EXPECT_TRUE(places[3].joins.empty()) << "all is joined by then";
    EXPECT_EQ(auxiliaryStreams(places), 1);
}

TEST(PlanStreams, keepsEachOfTwoBranchesTogether) {
    //   0 ─ 1 ───────── 5     2 reads the network's input, like 0
    //   2 ─ 3 ─ 4 ───────┘
    auto const places = planStreams(std::vector<StepNeeds>{{{}}, {{0}}, {{}}, {{2}}, {{3}}, {{1, 4}}}, 2);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 1, 1, 0}));
    EXPECT_TRUE(places[0].forks);
    EXPECT_EQ(places[2].waits, Numbers{kFork});
    EXPECT_EQ(places[4].firstBeside, 0);
    EXPECT_EQ(places[5].waits, Numbers{4});
}

TEST(PlanStreams, joinsBranchesThatEndTheNetwork) {
    auto const places = planStreams(std::vector<StepNeeds>{{{}}, {{0}}, {{0}}, {{0}}}, 2);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 2}));
    EXPECT_EQ(places[3].joins, (Numbers{2, 3}));
    EXPECT_TRUE(places[2].isAwaited && places[3].isAwaited);
}

TEST(PlanStreams, putsWhatIsLeftIntoTheCallersStream) {
    auto const places = planStreams(std::vector<StepNeeds>{{{}}, {{0}}, {{0}}, {{0}}}, 1);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 0}));
    EXPECT_TRUE(places[3].waits.empty());
}

TEST(PlanStreams, takesAStreamAgainThatHasBeenJoined) {
    // two diamonds, one after the other
    auto const places = planStreams(std::vector<StepNeeds>{{{}}, {{0}}, {{0}}, {{1, 2}}, {{3}}, {{3}}, {{4, 5}}}, 4);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 0, 0, 1, 0}));
    EXPECT_EQ(places[5].waits, Numbers{3});
    EXPECT_EQ(places[5].firstBeside, 4);
}

TEST(PlanStreams, runsPluginsAlone) {
    //     ┌ 1 ─ P3 ┐        2 is over when P3 begins, and 4 begins after it
    //   0 ┤        ├ 5
    //     └ 2 ─ 4 ─┘
    std::vector<StepNeeds> const steps{{{}}, {{0}}, {{0}}, {{1}, true}, {{2}}, {{3, 4}}};
    auto const places = planStreams(steps, 2);
    EXPECT_EQ(streamsOf(places), (Numbers{0, 0, 1, 0, 0, 0}));
    EXPECT_EQ(places[2].joins, Numbers{2});
    EXPECT_TRUE(places[3].waits.empty());
    EXPECT_EQ(places[3].firstBeside, 3);
    EXPECT_TRUE(places[5].waits.empty()) << "a recording of 4 and 5 must not know of what is outside it";
}

/// For each step, all steps that are done when it begins, as guaranteed by streams and events alone; also at the end.
struct Promised {
    explicit Promised(std::vector<StepPlace> const& places, int streams) : ends(places.size()) {
        std::vector<std::vector<bool>> inStream(static_cast<size_t>(streams), std::vector<bool>(places.size()));
        std::vector<bool> fork(places.size());
        auto const merge = [](std::vector<bool>& to, std::vector<bool> const& from) {
            for (size_t i = 0; i < to.size(); ++i) to[i] = to[i] || from[i];
        };
        for (size_t step = 0; step < places.size(); ++step) {
            StepPlace const& place = places[step];
            if (place.forks) fork = inStream[0];
            auto& own = inStream[static_cast<size_t>(place.stream)];
            for (int wait : place.waits) merge(own, wait == kFork ? fork : ends[static_cast<size_t>(wait)]);
            over.push_back(own);
            own[step] = true;
            ends[step] = own;
            for (int join : place.joins) merge(inStream[0], ends[static_cast<size_t>(join)]);
        }
        over.push_back(inStream[0]);
    }

    std::vector<std::vector<bool>> over;
    std::vector<std::vector<bool>> ends; // the steps that are done when this one is
};

std::vector<StepNeeds> randomSteps(std::mt19937& random) {
    std::vector<StepNeeds> steps(2 + random() % 30);
    for (size_t step = 0; step < steps.size(); ++step) {
        steps[step].alone = random() % 8 == 0;
        for (size_t k = random() % 4; step > 0 && k > 0; --k)
            steps[step].steps.push_back(static_cast<int>(step - 1 - random() % std::min<size_t>(step, 6)));
    }
    return steps;
}

TEST(PlanStreams, keepsEveryOrderThatIsNeeded) {
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        auto const steps = randomSteps(random);
        int const auxiliary = 1 + static_cast<int>(random() % 4);
        auto const places = planStreams(steps, auxiliary);
        if (places.empty()) continue;
        ASSERT_LE(auxiliaryStreams(places), auxiliary);
        Promised const promised(places, auxiliary + 1);
        for (size_t step = 0; step < steps.size(); ++step) {
            for (int need : steps[step].steps) ASSERT_TRUE(promised.over[step][static_cast<size_t>(need)]);
            auto const beside = static_cast<size_t>(places[step].firstBeside);
            for (size_t i = 0; i < (steps[step].alone ? step : beside); ++i) ASSERT_TRUE(promised.over[step][i]);
            ASSERT_TRUE(beside == step || !promised.over[step][beside]) << "memory is kept longer than it must be";
            for (int wait : places[step].waits)
                ASSERT_TRUE(wait == kFork || places[static_cast<size_t>(wait)].isAwaited);
            for (int join : places[step].joins) ASSERT_TRUE(places[static_cast<size_t>(join)].isAwaited);
        }
        for (size_t step = 0; step < steps.size(); ++step) ASSERT_TRUE(promised.over.back()[step]);
    }
}

} // namespace
} // namespace tenon
