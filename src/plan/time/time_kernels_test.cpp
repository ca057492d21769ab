// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/time_kernels.h"

#include "base/error.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace tenon {
namespace {

constexpr int64_t kSlow = 4;
constexpr int64_t kBroken = 6;
constexpr int64_t kQuick = 8;
constexpr int64_t kLarge = 10; // fast, with much workspace
constexpr int64_t kLoner = 12; // fast if nothing else runs in between
constexpr size_t kLargeWorkspace = 1 << 20;
int prepared = 0;
Executable const* last = nullptr; // that ran

void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

class Waits final : public Executable {
public:
    explicit Waits(int64_t tactic) : tactic_(tactic) {}
    size_t workspaceBytes() const override { return tactic_ == kLarge ? kLargeWorkspace : 0; }
    void run(Pointers const&) override {
        if (tactic_ == kSlow) wait(1);
        if (tactic_ == kLoner && last != this) wait(3);
        last = this;
    }

private:
    int64_t tactic_;
};

class SeveralWays final : public Kernel {
public:
    constexpr explicit SeveralWays(std::span<int64_t const> ways) : ways_(ways) {}
    std::string_view name() const override { return "several_ways"; }
    Offer offer(KernelQuery const&) const override { return Offer::refuse("is never asked"); }
    std::vector<int64_t> tactics(Variant const&) const override { return {ways_.begin(), ways_.end()}; }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        ++prepared;
        if (args.variant.tactic == kBroken) fail(ErrorCode::Internal, "broken");
        return std::make_unique<Waits>(args.variant.tactic);
    }

private:
    std::span<int64_t const> ways_;
};
constexpr int64_t kThree[]{kSlow, kBroken, kQuick};
constexpr SeveralWays kThreeWays{kThree};

/// A plan of some equal nodes in a row, computed by this kernel.
Plan plan(Kernel const& kernel = kThreeWays, int nodes = 1) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {4});
    for (int i = 0; i < nodes; ++i) x = graph.add(std::make_unique<Softmax>(), {x}, "node")->output();
    graph.markOutput(x);
    Plan made = build(graph, {});
    for (Assignment& assignment : made.nodes) {
        assignment.kernel = &kernel;
        assignment.variant.tactic = kernel.tactics(assignment.variant).front();
    }
    return made;
}

BuildConfig config() {
    BuildConfig config;
    config.tuning.enabled = true;
    config.tuning.cache = std::make_shared<TimingCache>("here");
    return config;
}

void time(Plan& plan, BuildConfig const& config) {
    Timer timer(config.tuning, "here", config.log);
    timeKernels(plan, config, timer);
}

TEST(TimeKernels, keepsTheFastestWayThatWorks) {
    Plan made = plan();
    time(made, config());
    EXPECT_EQ(made.nodes.front().variant.tactic, kQuick);
}

/// The fastest of a selection does not apply to other builds: the cache does not store it.
TEST(TimeKernels, leavesOutWhatAProgramDidNotSelect) {
    BuildConfig const remembering = config();
    Plan made = plan();
    Timer timer(remembering.tuning, "here", remembering.log);
    timeKernels(made, remembering, timer, {{made.nodes.front().node, {kSlow, kBroken}}});
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
    Plan other = plan();
    time(other, remembering);
    EXPECT_EQ(other.nodes.front().variant.tactic, kQuick);
    Timer second(remembering.tuning, "here", remembering.log); // the cache knows kQuick, which is not selected
    timeKernels(made, remembering, second, {{made.nodes.front().node, {kSlow, kBroken}}});
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
}

/// An application that edits a timing cache finds the name of the log in the inspector.
TEST(TimeKernels, nameEachWayInTheLogAsTheInspectorDoes) {
    std::vector<std::string> rows;
    BuildConfig telling = config();
    telling.log = [&](Severity, std::string_view line) {
        if (line.find("0x") != std::string_view::npos) rows.emplace_back(line);
    };
    Plan made = plan();
    time(made, telling);
    Assignment const& assignment = made.nodes.front();
    EXPECT_EQ(nameOfWay(*assignment.kernel, assignment.variant), "several_ways way 8");
    EXPECT_TRUE(std::ranges::any_of(
        rows, [](std::string const& row) { return row.find(", several_ways way 8, 0x8,") != std::string::npos; }));
    EXPECT_EQ(nameOfWay(SeveralWays(std::span(kThree).first(1)), assignment.variant), "several_ways");
}

TEST(TimeKernels, asksTheCacheFirst) {
    BuildConfig const remembering = config();
    Plan first = plan();
    time(first, remembering);
    prepared = 0;
    Plan second = plan();
    time(second, remembering);
    EXPECT_EQ(second.nodes.front().variant.tactic, kQuick);
    EXPECT_EQ(prepared, 0);
}

TEST(TimeKernels, doesNotBelieveACacheThatNamesAWayWhichTheKernelDoesNotHave) {
    BuildConfig const remembering = config();
    Plan first = plan();
    time(first, remembering);
    remembering.tuning.cache->set(remembering.tuning.cache->keys().front(), {77, 0.001F});
    Plan second = plan();
    time(second, remembering);
    EXPECT_EQ(second.nodes.front().variant.tactic, kQuick);
    EXPECT_TRUE(std::ranges::any_of(second.notes, [](std::string const& note) {
        return note.ends_with(
            ": the timing cache names tactic 77, which several_ways does not have; it is timed again");
    }));
}

TEST(TimeKernels, takesAnotherWayWhereTheCacheIsChangedToIt) {
    BuildConfig const remembering = config();
    Plan first = plan();
    time(first, remembering);
    remembering.tuning.cache->set(remembering.tuning.cache->keys().front(), {static_cast<uint64_t>(kSlow), 1});
    Plan second = plan();
    time(second, remembering);
    EXPECT_EQ(second.nodes.front().variant.tactic, kSlow);
}

TEST(TimeKernels, leavesItsChoiceWhereTheTimeDoesNotSuffice) {
    BuildConfig hasty = config();
    hasty.tuning.seconds = 0;
    Plan made = plan();
    time(made, hasty);
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
    EXPECT_EQ(made.notes.back(),
              "1 of 1 kernels with several tactics were not timed: the 0 seconds of tuning time do not suffice");
}

TEST(TimeKernels, saysWhatTheCacheDoesNotKnowWhereItMustKnowAll) {
    BuildConfig strict = config();
    strict.tuning.cacheOnly = true;
    Plan made = plan();
    try {
        time(made, strict);
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "node (Softmax): the timing cache does not contain the fastest tactic of "
                                   "several_ways (BuilderFlag::kERROR_ON_TIMING_CACHE_MISS)");
    }
}

TEST(TimeKernels, remembersNothingOfAKernelThatFailsInEachWay) {
    static constexpr int64_t kWays[]{kBroken, kBroken};
    static constexpr SeveralWays kKernel{kWays};
    BuildConfig const remembering = config();
    Plan made = plan(kKernel);
    double const cost = made.nodes.front().variant.cost;
    time(made, remembering);
    EXPECT_EQ(made.nodes.front().variant.tactic, kBroken);
    EXPECT_EQ(made.nodes.front().variant.cost, cost);
    EXPECT_TRUE(remembering.tuning.cache->keys().empty());
    EXPECT_NO_THROW(TimingCache::read(remembering.tuning.cache->write()));
}

TEST(TimeKernels, takesAnotherWayWhereThatOfTheEstimateFails) {
    static constexpr int64_t kWays[]{kBroken, kSlow};
    static constexpr SeveralWays kKernel{kWays};
    Plan made = plan(kKernel);
    time(made, config());
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
}

TEST(TimeKernels, forgetsAMeasurementThatWasCutOff) {
    BuildConfig hasty = config();
    hasty.tuning.seconds = 0.031; // enough by estimate; kSlow takes more than ten times as long
    hasty.tuning.rounds = 40;
    Plan first = plan();
    time(first, hasty);
    EXPECT_EQ(first.nodes.front().variant.tactic, kSlow);
    EXPECT_TRUE(hasty.tuning.cache->keys().empty());

    hasty.tuning.seconds = 10;
    hasty.tuning.rounds = 4;
    Plan second = plan();
    time(second, hasty);
    EXPECT_EQ(second.nodes.front().variant.tactic, kQuick);
}

TEST(TimeKernels, timesWhatIsAlikeOnce) {
    BuildConfig const remembering = config();
    Plan made = plan(kThreeWays, 3);
    time(made, remembering);
    for (Assignment const& assignment : made.nodes) EXPECT_EQ(assignment.variant.tactic, kQuick);
    EXPECT_EQ(remembering.tuning.cache->keys().size(), 1U);
}

TEST(TimeKernels, leavesOutWhatTakesMoreWorkspaceThanIsAllowed) {
    static constexpr int64_t kWays[]{kSlow, kLarge};
    static constexpr SeveralWays kKernel{kWays};
    BuildConfig const free = config();
    Plan large = plan(kKernel);
    time(large, free);
    EXPECT_EQ(large.nodes.front().variant.tactic, kLarge);

    BuildConfig narrow = config();
    narrow.settings.workspaceLimit = kLargeWorkspace - 1;
    narrow.tuning.cache = free.tuning.cache; // which includes kLarge
    Plan small = plan(kKernel);
    time(small, narrow);
    EXPECT_EQ(small.nodes.front().variant.tactic, kSlow);
}

TEST(TimeKernels, takesNoMoreMemoryThanItMay) {
    static constexpr int64_t kWays[]{kSlow, kLarge};
    static constexpr SeveralWays kKernel{kWays};
    BuildConfig narrow = config();
    narrow.tuning.memory = kLargeWorkspace; // and nothing for the tensors
    std::vector<std::string> warnings;
    narrow.log = [&](Severity severity, std::string const& line) {
        if (severity == Severity::Warning) warnings.push_back(line);
    };
    Plan made = plan(kKernel);
    time(made, narrow);
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find(text("way ", kLarge, " of several_ways")), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find(text("it requires ", kLargeWorkspace, " bytes for timing; ")), std::string::npos)
        << warnings[0];
    EXPECT_NE(warnings[0].find(" are left (setMemoryPoolLimit with kTACTIC_DRAM)"), std::string::npos) << warnings[0];
}

TEST(TimeKernels, leavesWhatIsFastestOnlyByItself) {
    static constexpr int64_t kWays[]{kSlow, kLoner};
    static constexpr SeveralWays kKernel{kWays};
    BuildConfig const remembering = config();
    Plan alone = plan(kKernel);
    time(alone, config());
    EXPECT_EQ(alone.nodes.front().variant.tactic, kLoner);

    Plan several = plan(kKernel, 3);
    time(several, remembering);
    for (Assignment const& assignment : several.nodes) EXPECT_EQ(assignment.variant.tactic, kSlow);
    Plan again = plan(kKernel, 3);
    prepared = 0;
    time(again, remembering);
    for (Assignment const& assignment : again.nodes) EXPECT_EQ(assignment.variant.tactic, kSlow);
    EXPECT_EQ(prepared, 0);
}

TEST(TimeKernels, triesNoMoreWaysThanItIsTold) {
    BuildConfig few = config();
    few.tuning.mostWays = 2; // kSlow, kBroken
    Plan made = plan();
    time(made, few);
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
}

} // namespace
} // namespace tenon
