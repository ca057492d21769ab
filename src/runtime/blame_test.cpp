// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/blame.h"

#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "runtime/context.h"
#include "support/fake_backend.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

#include <cstdlib>

namespace tenon {
namespace {

Graph network() {
    Graph graph;
    graph.markOutput(graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {2, 3})}, "softmax"));
    return graph;
}

/// TENON_BLAME while it exists; null: unset.
struct Variable {
    explicit Variable(char const* value) { value ? setenv("TENON_BLAME", value, 1) : unsetenv("TENON_BLAME"); }
    ~Variable() { unsetenv("TENON_BLAME"); }
};

TEST(Blame, isOnForAllValuesButEmptyOnesAndZeros) {
    for (char const* value : {"1", "2", "yes", " 0", "-"}) EXPECT_TRUE(asksForBlame(value)) << value;
    for (char const* value : {"", "0", "0x", "00"}) EXPECT_FALSE(asksForBlame(value)) << value;
    EXPECT_FALSE(asksForBlame(nullptr));
}

TEST(Blame, ofTheEnvironmentKeepsContextsFromBeingRecorded) {
    Engine const engine(build(network(), {}));
    auto const onlyEnqueues = [&](char const* value) {
        Variable const variable(value);
        return Context(engine, 1).onlyEnqueues();
    };
    EXPECT_TRUE(onlyEnqueues(nullptr));
    EXPECT_TRUE(onlyEnqueues("0"));
    EXPECT_TRUE(onlyEnqueues(""));
    EXPECT_FALSE(onlyEnqueues("1"));
}

TEST(Blame, ofTheEnvironmentChangesNoResult) {
    Variable const variable("1");
    Engine const engine(build(network(), {}));
    Context context(engine, 1);
    std::vector<float> x(6, 1);
    std::vector<float> y(6);
    context.setAddress(engine.plan().graph.inputs()[0], x.data());
    context.setAddress(engine.plan().graph.outputs()[0], y.data());
    context.enqueue(nullptr);
    for (float const share : y) EXPECT_NEAR(share, 1 / 3.F, 1e-6);
}

/// The node "softmax" of a context on a device with streams.
struct Blaming {
    std::vector<std::string> logged;
    Log log = [this](Severity severity, std::string const& message) {
        EXPECT_EQ(severity, Severity::Warning);
        logged.push_back(message);
    };
    Graph graph = network();
    Node const& node = *graph.nodes().back();
    test::FakeLog calls;
    PluginLife plugin{std::make_unique<test::FakePlugin>(calls)};
    PluginLife other{std::make_unique<test::FakePlugin>(calls)};
    test::FakeBackend backend;
    Blame blame{backend, log, true};
    int stream = 0;

    void run(PluginLife const* of, bool strays) {
        blame.runStep(node, of, &stream, [&] { backend.queues.isDefaultBusy = strays; });
    }
};

TEST(Blame, waitsAfterEachStep) {
    Blaming b;
    bool hasRun = false;
    b.blame.runStep(b.node, nullptr, &b.stream, [&] {
        hasRun = true;
        EXPECT_TRUE(b.backend.waitedFor.empty());
    });
    EXPECT_TRUE(hasRun);
    EXPECT_EQ(b.backend.waitedFor, std::vector<void*>{&b.stream});
}

TEST(Blame, runsInAStreamOfItsOwnThatFollowsTheCallers) {
    Blaming b;
    ASSERT_NE(b.blame.stream(), nullptr);
    b.blame.inOwnStream(&b.stream, [&](void* own) {
        EXPECT_EQ(own, b.blame.stream());
        EXPECT_EQ(b.backend.waitedFor, std::vector<void*>{&b.stream});
    });
    EXPECT_EQ(b.backend.waitedFor, (std::vector<void*>{&b.stream, b.blame.stream()}));
}

TEST(Blame, hasNoStreamWhenItIsOff) {
    Blaming const b;
    Blame const off(b.backend, b.log, false);
    EXPECT_FALSE(off.isOn());
    EXPECT_EQ(off.stream(), nullptr);
}

TEST(Blame, warnsOnceOfEachPluginThatUsesADefaultStream) {
    Blaming b;
    b.run(&b.plugin, true);
    ASSERT_EQ(b.logged.size(), 1U);
    EXPECT_EQ(b.logged[0].find("softmax (Softmax): "), 0U) << b.logged[0];
    EXPECT_NE(b.logged[0].find("put work into the default stream; use the stream that enqueue() receives"),
              std::string::npos)
        << b.logged[0];
    b.run(&b.plugin, true);
    EXPECT_EQ(b.logged.size(), 1U);
    b.run(&b.other, true);
    EXPECT_EQ(b.logged.size(), 2U);
}

TEST(Blame, doesNotWarnOfWorkThatWasInADefaultStreamBefore) {
    Blaming b;
    b.backend.queues.isDefaultBusy = true;
    b.run(&b.plugin, false);
    EXPECT_EQ(b.backend.queues.waitsForDefault, 2);
    EXPECT_TRUE(b.logged.empty());
}

TEST(Blame, doesNotLookAtDefaultStreamsAroundKernels) {
    Blaming b;
    b.run(nullptr, true);
    EXPECT_EQ(b.backend.queues.waitsForDefault, 0);
    EXPECT_TRUE(b.logged.empty());
}

} // namespace
} // namespace tenon
