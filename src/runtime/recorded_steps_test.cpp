// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/recorded_steps.h"

#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/fake_backend.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using Steps = std::vector<size_t>;

/// x [4,3] → softmax over each axis in `axes`, each of them an output: steps without memory for activations.
Graph network(std::vector<int> const& axes) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {4, 3});
    for (int const axis : axes) {
        Softmax layer;
        layer.axis = axis;
        graph.markOutput(graph.emit(layer, {x}));
    }
    return graph;
}

/// The steps of an engine on a device that records; nothing is computed.
struct Running {
    explicit Running(std::vector<int> const& axes = {0, 1}) : engine(build(network(axes), {})) {
        segment.placeIn(memory.data());
        for (Tensor const* output : engine.plan().graph.outputs()) bind(output, y.data());
        bind(x(), a.data());
    }
    Tensor const* x() const { return engine.plan().graph.inputs()[0]; }
    void bind(Tensor const* tensor, float* data) { segment.bind(engine.shapeProgram().numberOf(tensor), data); }
    /// The steps that were put into a stream one by one.
    Steps run() {
        Steps steps;
        recorded.run(segment, backend, nullptr, [&](size_t step, void*) { steps.push_back(step); });
        return steps;
    }

    Engine engine;
    std::vector<StepState> states = std::vector<StepState>(engine.steps().size());
    Segment segment{engine, engine.shapeProgram().evaluate({{Dims{4, 3}, {}}}), 0, states};
    std::vector<std::byte> memory = std::vector<std::byte>(segment.memoryBytes() + 1);
    std::vector<std::byte> otherMemory = std::vector<std::byte>(segment.memoryBytes() + 1);
    std::vector<float> a = std::vector<float>(12);
    std::vector<float> b = std::vector<float>(12);
    std::vector<float> y = std::vector<float>(12);
    test::FakeBackend backend;
    RecordedSteps recorded;
};

TEST(RecordedSteps, areRecordedInTheSecondRunAtTheirAddresses) {
    Running r;
    EXPECT_EQ(r.run(), (Steps{0, 1}));
    EXPECT_EQ(r.backend.queues.recordings, 0);
    EXPECT_EQ(r.run(), (Steps{0, 1})) << "by the recording";
    EXPECT_EQ(r.backend.queues.recordings, 1);
    EXPECT_EQ(r.backend.queues.replays, std::vector{0});
    EXPECT_EQ(r.run(), Steps{});
    EXPECT_EQ(r.backend.queues.recordings, 1);
    EXPECT_EQ(r.backend.queues.replays, (std::vector{0, 0}));
}

TEST(RecordedSteps, areNotReplayedAtAnotherAddress) {
    Running r;
    for (int i = 0; i < 3; ++i) r.run();
    ASSERT_EQ(r.backend.queues.replays.size(), 2U);
    r.bind(r.x(), r.b.data());
    EXPECT_EQ(r.run(), (Steps{0, 1}));
    EXPECT_EQ(r.backend.queues.replays.size(), 2U);
    r.run();
    EXPECT_EQ(r.backend.queues.replays, (std::vector{0, 0, 1})) << "a recording of its own";
    r.bind(r.x(), r.a.data());
    EXPECT_EQ(r.run(), Steps{});
    EXPECT_EQ(r.backend.queues.replays, (std::vector{0, 0, 1, 0}));
}

TEST(RecordedSteps, areNotReplayedWithOtherMemoryForWorkspaces) {
    Running r;
    for (int i = 0; i < 3; ++i) r.run();
    auto const addresses = r.segment.addresses();
    r.segment.placeIn(r.otherMemory.data());
    ASSERT_EQ(r.segment.addresses(), addresses) << "only workspaces moved";
    EXPECT_EQ(r.run(), (Steps{0, 1}));
    EXPECT_EQ(r.backend.queues.replays.size(), 2U);
    r.segment.placeIn(r.memory.data());
    EXPECT_EQ(r.run(), Steps{});
}

TEST(RecordedSteps, areKeptForTheLastFourAddresses) {
    Running r;
    std::vector<std::vector<float>> inputs(5, std::vector<float>(12));
    for (auto& input : inputs) {
        r.bind(r.x(), input.data());
        r.run();
    }
    r.bind(r.x(), inputs[1].data());
    r.run();
    EXPECT_EQ(r.backend.queues.recordings, 1) << "the second run at these addresses";
    r.bind(r.x(), inputs[0].data());
    EXPECT_EQ(r.run(), (Steps{0, 1}));
    EXPECT_EQ(r.backend.queues.recordings, 1) << "these were forgotten";
}

TEST(RecordedSteps, areRunOneByOneWhileTheApplicationRecords) {
    Running r;
    r.run();
    r.run();
    r.backend.queues.isRecordedByApplication = true;
    EXPECT_EQ(r.run(), (Steps{0, 1}));
    EXPECT_EQ(r.backend.queues.replays.size(), 1U);
    r.backend.queues.isRecordedByApplication = false;
    EXPECT_EQ(r.run(), Steps{}) << "the recording is kept";
}

TEST(RecordedSteps, needTwoSteps) {
    Running r({1});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(r.run(), Steps{0});
    EXPECT_EQ(r.backend.queues.recordings, 0);
}

} // namespace
} // namespace tenon
