// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines that keep a part of their weights in host memory compute what they compute with all of them on the device.

#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "support/run_engine.h"
#include "support/tested_device.h"

#include <numeric>
#include <random>

namespace tenon {
namespace {

constexpr size_t kAlignment = 64;

StreamedWeights stepsOf(std::vector<size_t> const& sizes) {
    std::vector<StepWeights> steps;
    for (size_t i = 0; i < sizes.size(); ++i) steps.push_back({2 * i, {{StepWeights::kPacked, sizes[i]}}});
    return {std::move(steps), kAlignment};
}

size_t kept(StreamedWeights const& weights) {
    size_t bytes = 0;
    for (StepWeights const& step : weights.steps()) bytes += step.isStreamed ? 0 : step.bytes;
    return bytes;
}

TEST(StreamedWeights, countEachPartAtAMultipleOfTheAlignment) {
    StreamedWeights const weights({{3, {{StepWeights::kPacked, 100}, {7, 64}, {9, 1}}}}, kAlignment);
    EXPECT_EQ(weights.bytes(), 128U + 64U + 64U);
    EXPECT_EQ(weights.steps()[0].parts[1].offset, 128U);
    EXPECT_EQ(weights.ofConstant(9), weights.ofStep(3));
    EXPECT_EQ(weights.ofConstant(8), nullptr);
    EXPECT_EQ(weights.ofConstant(StepWeights::kPacked), nullptr);
}

TEST(StreamedWeights, neverExceedTheBudgetAndUseItAsFarAsTheirSizesAllow) {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        std::vector<size_t> sizes(1 + random() % 20);
        for (size_t& size : sizes) size = kAlignment * (1 + random() % 50);
        StreamedWeights weights = stepsOf(sizes);
        size_t const budget = random() % (weights.bytes() + kAlignment);
        weights.setBudget(budget);
        EXPECT_LE(kept(weights), budget);
        for (StepWeights const& step : weights.steps())
            EXPECT_TRUE(!step.isStreamed || kept(weights) + step.bytes > budget) << "one of them fits";
    }
}

TEST(StreamedWeights, areSpreadOverTheRun) {
    StreamedWeights weights = stepsOf(std::vector<size_t>(8, 640));
    weights.setBudget(4 * 640);
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(weights.steps()[i].isStreamed, i % 2 == 0) << i;
}

TEST(StreamedWeights, takeTheRoomOfTwoStepsThatFollowEachOther) {
    StreamedWeights weights = stepsOf({640, 1280, 640, 6400, 64});
    weights.setBudget(0);
    EXPECT_EQ(weights.bufferBytes(), 640U + 6400U);
    for (size_t i = 0; i + 1 < 5; ++i) {
        StepWeights const& a = weights.steps()[i];
        StepWeights const& b = weights.steps()[i + 1];
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) << i;
    }
    weights.setBudget(weights.bytes());
    EXPECT_EQ(weights.bufferBytes(), 0U);
}

/// Convolutions, products, and a sum with a constant, of random numbers, others for each seed.
class Network {
public:
    explicit Network(unsigned seed = 3) : random_(seed) {
        Tensor* x = graph.addInput("x", DataType::Float32, {1, 64, 20, 20});
        for (int i = 0; i < 4; ++i) x = relu(graph.emit(Convolution{}, {x, numbers({64, 64, 5, 5}), numbers({64})}));
        graph.markOutput(x);
        x = graph.addInput("y", DataType::Float32, {1, 100, 200});
        for (int i = 0; i < 5; ++i) x = relu(graph.emit(MatrixMultiply{}, {x, numbers({1, 200, 200})}));
        graph.markOutput(graph.emit(elementwise(PointwiseOp::Sum), {x, numbers({1, 100, 200})}));
    }

    Graph graph;
    std::vector<Literal> input() { return {literal({1, 64, 20, 20}), literal({1, 100, 200})}; }

private:
    Tensor* relu(Tensor* x) {
        Activation layer;
        layer.operation = PointwiseOp::Relu;
        return graph.emit(layer, {x});
    }
    Literal literal(Dims const& dims) {
        std::normal_distribution<float> normal(0, 0.1F);
        std::vector<float> values(static_cast<size_t>(dims.volume()));
        for (float& value : values) value = normal(random_);
        return Literal::of(dims, values);
    }
    Tensor* numbers(Dims const& dims) {
        Constant constant(literal(dims));
        constant.weights = text("w", count_++);
        constant.isOpen = true;
        return graph.emit(std::move(constant), {});
    }

    std::mt19937 random_;
    int count_ = 0;
};

BuildConfig streaming(Precision const& precision) {
    BuildConfig config;
    config.device = test::testedDevice();
    config.settings.precision = precision;
    config.settings.streamsWeights = true;
    return config;
}

class WeightStreaming : public ::testing::TestWithParam<Precision> {};

TEST_P(WeightStreaming, changesNoResult) {
    Network network;
    test::EngineRun run(network.graph, streaming(GetParam()));
    auto const x = network.input();
    auto const expected = run.run(x);
    size_t const all = run.engine().streamedWeights().bytes();
    EXPECT_GE(all, 5U * 200 * 200 * 2);
    for (size_t const budget : {size_t{0}, all / 3, all / 2, all - 1, all, size_t{0}}) {
        run.engine().setWeightBudget(budget);
        EXPECT_EQ(run.engine().streamedWeights().bufferBytes() == 0, budget == all);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(run.run(x), expected) << budget << " of " << all;
    }
}

TEST_P(WeightStreaming, goesWithOtherWeights) {
    Network network;
    Network other(4);
    BuildConfig config = streaming(GetParam());
    config.settings.refits = true;
    test::EngineRun run(network.graph, config);
    test::EngineRun expected(other.graph, config);
    auto const x = network.input();
    run.engine().setWeightBudget(run.engine().streamedWeights().bytes() / 2);
    auto const before = run.run(x);
    Refit refit;
    for (RefitWeights const& weights : refitWeights(other.graph)) refit.weights[weights.name] = weights.value;
    run.engine().refit(refit);
    EXPECT_NE(run.run(x), before);
    EXPECT_EQ(run.run(x), expected.run(x));
}

TEST_P(WeightStreaming, affordsNoMoreThanThereIs) {
    Network network;
    test::EngineRun run(network.graph, streaming(GetParam()));
    EXPECT_LE(run.engine().affordableWeightBudget(), run.engine().streamedWeights().bytes());
}

INSTANTIATE_TEST_SUITE_P(Types, WeightStreaming, ::testing::Values(Precision{}, Precision{.float16 = true}),
                         [](auto const& info) { return info.param.float16 ? "Float16" : "Float32"; });

} // namespace
} // namespace tenon
