// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines that keep a part of their weights in host memory compute what they compute with all of them on the device.

#include "layers/activation/activation.h"
#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
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

std::vector<size_t> randomSizes(std::mt19937& random) {
    std::vector<size_t> sizes(1 + random() % 20);
    for (size_t& size : sizes) size = kAlignment * (1 + random() % 50);
    return sizes;
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
        StreamedWeights weights = stepsOf(randomSizes(random));
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
    EXPECT_EQ(weights.mostBufferBytes(), 1280U + 6400U);
    weights.setBudget(weights.bytes());
    EXPECT_EQ(weights.bufferBytes(), 0U);
    weights.setBudget(0);
    weights.setBudget(StreamedWeights::kAll);
    EXPECT_EQ(weights.bufferBytes(), 0U);
}

TEST(StreamedWeights, takeNoMoreRoomThanTwoNeighboursNeed) {
    std::mt19937 random(6);
    for (int round = 0; round < 500; ++round) {
        StreamedWeights weights = stepsOf(randomSizes(random));
        weights.setBudget(random() % (weights.bytes() + kAlignment));
        StepWeights const none{0};
        StepWeights const* before = &none;
        size_t most = 0;
        for (StepWeights const& step : weights.steps()) {
            if (!step.isStreamed) continue;
            most = std::max(most, before->bytes + step.bytes);
            EXPECT_TRUE(before->offset + before->bytes <= step.offset || step.offset + step.bytes <= before->offset);
            EXPECT_EQ(step.offset % kAlignment, 0U);
            EXPECT_LE(step.offset + step.bytes, weights.bufferBytes());
            before = &step;
        }
        EXPECT_EQ(weights.bufferBytes(), most);
        EXPECT_LE(most, weights.mostBufferBytes());
    }
}

/// Convolutions, products, and a sum with a constant, of random numbers, different for each seed.
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

BuildConfig streaming(Precision const& precision = {}) {
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

constexpr int64_t kColumns = 64;
constexpr int64_t kIndices = 5;

float elementOf(size_t table, int64_t row, int64_t column) { // exact in float32
    return static_cast<float>(static_cast<int64_t>(table) * 4'000'000 + row * kColumns + column);
}

/// i [kIndices] → for each table its rows i, [kIndices,kColumns]. Kernels read tables unpacked.
Graph tables(std::vector<int64_t> const& rows) {
    Graph graph;
    Tensor* const i = graph.addInput("i", DataType::Int32, {kIndices});
    for (size_t table = 0; table < rows.size(); ++table) {
        std::vector<float> values;
        for (int64_t k = 0; k < rows[table] * kColumns; ++k)
            values.push_back(elementOf(table, k / kColumns, k % kColumns));
        Tensor* const all = graph.emit(Constant(Literal::of(Dims{rows[table], kColumns}, values)), {});
        graph.markOutput(graph.emit(Gather{}, {all, i}));
    }
    return graph;
}

void expectRowsOfTables(test::EngineRun& run) {
    std::vector<int32_t> const indices{0, 319, 7, 7, 100};
    auto const rows = run.run({Literal::of(Dims{kIndices}, indices)});
    for (size_t table = 0; table < rows.size(); ++table) {
        std::vector<float> expected;
        for (int32_t const row : indices) {
            for (int64_t column = 0; column < kColumns; ++column) expected.push_back(elementOf(table, row, column));
        }
        EXPECT_EQ(rows[table].toFloat(), expected) << "table " << table;
    }
}

TEST(WeightStreamingOfTables, followsBudgetsThatMoveWhereTheyLie) {
    constexpr int64_t kLarge = 1600;
    constexpr int64_t kSmall = 320;
    constexpr size_t kRowBytes = kColumns * sizeof(float);
    for (auto const& rows : {std::vector{kLarge, kSmall, kLarge}, std::vector<int64_t>(4, kLarge)}) {
        test::EngineRun run(tables(rows), streaming());
        size_t const all = std::accumulate(rows.begin(), rows.end(), size_t{0}) * kRowBytes;
        EXPECT_EQ(run.engine().streamedWeights().bytes(), all);
        for (size_t const budget : {size_t{0}, kSmall * kRowBytes, 2 * kLarge * kRowBytes, all - 1, size_t{0}, all}) {
            run.engine().setWeightBudget(budget);
            for (int i = 0; i < 2; ++i) expectRowsOfTables(run);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, WeightStreaming, ::testing::Values(Precision{}, Precision{.float16 = true}),
                         [](auto const& info) { return info.param.float16 ? "Float16" : "Float32"; });

} // namespace
} // namespace tenon
