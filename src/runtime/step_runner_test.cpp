// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_runner.h"

#include "base/error.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using Texts = std::vector<std::string>;

/// x [2,3] → "first" → "second" (each a softmax)
Graph network() {
    Graph graph;
    Tensor* const first = graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {2, 3})}, "first");
    graph.markOutput(graph.emit(Softmax{}, {first}, "second"));
    return graph;
}

struct Running {
    Running() {
        segment.placeIn(static_cast<std::byte*>(memory.get()));
        bind(engine.plan().graph.inputs()[0], x.data());
        bind(engine.plan().graph.outputs()[0], y.data());
    }
    void bind(Tensor const* tensor, float* data) { segment.bind(engine.shapeProgram().numberOf(tensor), data); }
    void run() { runner.run(segment, recorded, nullptr); }
    void expectResult() const {
        for (float const share : y) EXPECT_NEAR(share, 1 / 3.F, 1e-6);
    }

    Texts events; // of all observers, in order
    Engine engine{build(network(), {}), [this](Severity, std::string const& message) { events.push_back(message); }};
    StepStates states{engine, 1, {}};
    ContextWeights weights{engine, states};
    StepRunner runner{engine, states, weights};
    Segment segment{engine, engine.shapeProgram().evaluate({{Dims{2, 3}, {}}}), 0, states.all()};
    RecordedSteps recorded;
    std::shared_ptr<void> memory = allocateHost(segment.memoryBytes());
    std::vector<float> x = std::vector<float>(6, 1);
    std::vector<float> y = std::vector<float>(6);
};

TEST(StepRunner, runsAllStepsAndReportsNothing) {
    Running r;
    r.run();
    r.expectResult();
    EXPECT_TRUE(r.events.empty());
    EXPECT_TRUE(r.runner.usesOneStream());
}

TEST(StepRunner, showsTheOutputsOfEachStepAfterIt) {
    Running r;
    r.runner.setTracing(true);
    r.runner.setWatch([&](Tensor const& tensor, Dims const& dims, void const* data) {
        EXPECT_EQ(dims, (Dims{2, 3}));
        EXPECT_NEAR(static_cast<float const*>(data)[5], 1 / 3.F, 1e-6) << "it is computed";
        r.events.push_back(text("output of ", tensor.producer()->name));
    });
    r.run();
    EXPECT_EQ(r.events,
              (Texts{"first (Softmax): has run", "output of first", "second (Softmax): has run", "output of second"}));
    r.events.clear();
    r.runner.setTracing(false);
    r.runner.setWatch(nullptr);
    r.run();
    EXPECT_TRUE(r.events.empty());
    r.expectResult();
}

TEST(StepRunner, reportsTimesAfterTheLastStep) {
    Running r;
    r.runner.setTracing(true);
    r.runner.setTimes([&](Node const& node, double nanoseconds) {
        EXPECT_GE(nanoseconds, 0);
        r.events.push_back(text("time of ", node.name));
    });
    for (int run = 0; run < 2; ++run) {
        r.events.clear();
        r.run();
        EXPECT_EQ(r.events,
                  (Texts{"first (Softmax): has run", "second (Softmax): has run", "time of first", "time of second"}));
    }
    r.expectResult();
}

TEST(StepRunner, staysUsableAfterAnErrorOfAnObserver) {
    Running r;
    r.runner.setWatch([](Tensor const& tensor, Dims const&, void const*) {
        if (tensor.producer()->name == "second") fail(ErrorCode::InvalidArgument, "is not wanted");
    });
    EXPECT_EQ(test::errorOf([&] { r.run(); }), "is not wanted");
    r.runner.setWatch(nullptr);
    r.run();
    r.expectResult();
}

TEST(StepRunner, marksNothingWithoutAProfiler) {
    Running r;
    StepMarkers const markers(r.engine, ProfilingVerbosity::Detailed);
    EXPECT_EQ(markers.ofRun(), nullptr);
    EXPECT_EQ(markers.ofStep(1), nullptr);
}

} // namespace
} // namespace tenon
