// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time_kernels.h"

#include "base/error.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "plan/timing_cache.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace tenon {
namespace {

constexpr int64_t kSlow = 4;
constexpr int64_t kBroken = 6;
constexpr int64_t kQuick = 8;
int prepared = 0;

class Waits final : public Executable {
public:
    explicit Waits(int64_t tactic) : tactic_(tactic) {}
    void run(Pointers const&) override {
        if (tactic_ == kSlow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    int64_t tactic_;
};

class ThreeWays final : public Kernel {
public:
    std::string_view name() const override { return "three_ways"; }
    Offer offer(KernelQuery const&) const override { return Offer::refuse("is never asked"); }
    std::vector<int64_t> tactics(Variant const&) const override { return {kSlow, kBroken, kQuick}; }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        ++prepared;
        if (args.variant.tactic == kBroken) fail(ErrorCode::Internal, "broken");
        return std::make_unique<Waits>(args.variant.tactic);
    }
};
constexpr ThreeWays kThreeWays;

/// A plan of one node that has three ways to compute.
Plan plan() {
    Graph graph;
    Node* const node = graph.add(std::make_unique<Softmax>(), {graph.addInput("x", DataType::Float32, {4})}, "node");
    graph.markOutput(node->output());
    Plan made = build(graph, {});
    made.nodes.front().kernel = &kThreeWays;
    made.nodes.front().variant.tactic = kSlow;
    return made;
}

BuildConfig config() {
    BuildConfig config;
    config.tuning.enabled = true;
    config.tuning.cache = std::make_shared<TimingCache>("here");
    return config;
}

TEST(TimeKernels, keepsTheFastestWayThatWorks) {
    Plan made = plan();
    timeKernels(made, config());
    EXPECT_EQ(made.nodes.front().variant.tactic, kQuick);
}

TEST(TimeKernels, asksTheCacheFirst) {
    BuildConfig const remembering = config();
    Plan first = plan();
    timeKernels(first, remembering);
    prepared = 0;
    Plan second = plan();
    timeKernels(second, remembering);
    EXPECT_EQ(second.nodes.front().variant.tactic, kQuick);
    EXPECT_EQ(prepared, 0);
}

TEST(TimeKernels, leavesItsChoiceWhenTheTimeIsOver) {
    BuildConfig hasty = config();
    hasty.tuning.seconds = 0;
    Plan made = plan();
    timeKernels(made, hasty);
    EXPECT_EQ(made.nodes.front().variant.tactic, kSlow);
    EXPECT_EQ(made.notes.back(), "1 kernels were not timed in all their ways: the 0 seconds for it were over");
}

TEST(TimeKernels, saysWhatTheCacheDoesNotKnowWhereItMustKnowAll) {
    BuildConfig strict = config();
    strict.tuning.cacheOnly = true;
    Plan made = plan();
    try {
        timeKernels(made, strict);
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "node (Softmax): the timing cache does not know the fastest way of three_ways "
                                   "(BuilderFlag::kERROR_ON_TIMING_CACHE_MISS)");
    }
}

} // namespace
} // namespace tenon
