// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// tenon/parallel.h, alone and in a plugin.
#include "plugin_base/program.inc"
#include "tenon/device.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace tenon {
namespace {

using Parts = std::vector<std::pair<int64_t, int64_t>>;

/// The ranges of a body's calls, in order.
Parts partsOf(int64_t count, int64_t grain) {
    std::mutex mutex;
    Parts parts;
    parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        std::lock_guard<std::mutex> const lock(mutex);
        parts.emplace_back(begin, end);
    });
    std::sort(parts.begin(), parts.end());
    return parts;
}

TEST(Parallel, CallsTheBodyForEveryIndexOnce) {
    for (int64_t count : {1, 2, 3, 7, 64, 1000}) {
        for (int64_t grain : {-1, 0, 1, 2, 3, 999, 1000, 5000}) {
            int64_t next = 0;
            for (auto const& part : partsOf(count, grain)) {
                EXPECT_EQ(part.first, next);
                EXPECT_TRUE(part.second == count || part.second % std::max<int64_t>(grain, 1) == 0) << part.second;
                EXPECT_GT(part.second, part.first);
                next = part.second;
            }
            EXPECT_EQ(next, count) << "grain " << grain;
        }
    }
}

TEST(Parallel, OfNothingCallsNothing) {
    EXPECT_EQ(partsOf(0, 1), Parts());
    EXPECT_EQ(partsOf(-5, 1), Parts());
}

TEST(Parallel, HasOnePartWhereTheGrainIsLarge) {
    int64_t const most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(partsOf(10, most), (Parts{{0, 10}}));
    EXPECT_EQ(partsOf(most, most), (Parts{{0, most}}));
}

TEST(Parallel, HasTheSamePartsInABodyOnThatThread) {
    std::vector<Parts> inner(4);
    std::atomic<int> elsewhere{0};
    parallelFor(4, 1, [&](int64_t begin, int64_t end) {
        auto const thread = std::this_thread::get_id();
        for (int64_t i = begin; i < end; ++i) {
            inner[size_t(i)] = partsOf(3, 1);
            parallelFor(100, 1, [&](int64_t, int64_t) { elsewhere += std::this_thread::get_id() == thread ? 0 : 1; });
        }
    });
    EXPECT_EQ(inner, std::vector<Parts>(4, partsOf(3, 1)));
    EXPECT_EQ(elsewhere, 0);
}

TEST(Parallel, ThrowsWhatABodyThrows) {
    try {
        parallelFor(100, 1, [](int64_t begin, int64_t end) {
            if (begin <= 42 && 42 < end) throw std::domain_error("42 is forbidden");
        });
        FAIL() << "expected an exception";
    } catch (std::domain_error const& error) {
        EXPECT_STREQ(error.what(), "42 is forbidden");
    }
    EXPECT_THROW(parallelFor(100, 1, [](int64_t, int64_t) { throw 7; }), int) << "where all parts throw, one is thrown";
}

/// y = x + 1 if x is not negative.
class Successor final : public PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]"); }
    void run(Tensors inputs, Tensors outputs) override {
        parts = partsOf(inputs[0].count(), 2);
        std::mutex mutex;
        threads.clear();
        parallelFor(inputs[0].count(), 2, [&](int64_t begin, int64_t end) {
            std::unique_lock<std::mutex> lock(mutex);
            threads.insert(std::this_thread::get_id());
            lock.unlock();
            for (int64_t i = begin; i < end; ++i) {
                if (inputs[0].floats()[i] < 0) throw std::domain_error("x[" + std::to_string(i) + "] is negative");
                outputs[0].floats()[i] = inputs[0].floats()[i] + 1;
            }
        });
    }

    static Parts parts; ///< Of the last run.
    static std::set<std::thread::id> threads;
};

Parts Successor::parts;
std::set<std::thread::id> Successor::threads;

TEST(Parallel, InAPluginIsOnTheThreadsOfTheEngine) {
    Recorder logger;
    setPluginLogger(&logger);
    ASSERT_EQ(setDevice("cpu"), nullptr);
    PluginCreators const creators({definePlugin<Successor>("Successor")});
    ASSERT_TRUE(creators.registerAt(0));
    PluginFieldCollection const none{};
    Plugin const plugin = create(creators, PluginGeneration::kV3, &none);
    std::string const file = build(logger, {{"x", DataType::kFLOAT, {5}, {5}}}, plugin, {"y"});
    for (int threads = 1; threads <= 4; ++threads) {
        setenv("TENON_THREADS", std::to_string(threads).c_str(), 1);
        Engine engine(logger, file);
        unsetenv("TENON_THREADS");
        ASSERT_TRUE(engine) << logger.text;
        engine.give<float>("x", {5}, {1, 2, 3, 4, 5});
        engine.expect<float>("y", 5);
        ASSERT_TRUE(engine.run()) << logger.text;
        EXPECT_EQ(engine.get<float>("y", 5), (std::vector<float>{2, 3, 4, 5, 6}));
        EXPECT_EQ(Successor::parts, (Parts{{0, 2}, {2, 4}, {4, 5}}));
        EXPECT_LE(int64_t(Successor::threads.size()), threads);

        logger.take();
        engine.give<float>("x", {5}, {1, 2, 3, -4, 5});
        EXPECT_FALSE(engine.run());
        std::string const text = logger.take();
        EXPECT_EQ(text.substr(0, text.find('\n')), "Successor: x[3] is negative");
    }
    setDevice(nullptr);
    setPluginLogger(nullptr);
}

} // namespace
} // namespace tenon
