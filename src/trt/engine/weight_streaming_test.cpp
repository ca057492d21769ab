// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include <cmath>

namespace {

using namespace nvinfer1;
using tenon::test::Defining;
using tenon::test::Running;

constexpr int64_t kSize = 192;
constexpr int kProducts = 4;

/// X [2,kSize] → tanh(… tanh(X·W) …·W), with a matrix that turns the columns around and halves them.
class WeightStreamingInTheApi : public ::testing::Test {
protected:
    static std::unique_ptr<IHostMemory> plan(bool streams) {
        Defining defining;
        std::vector<float> matrix(kSize * kSize, 0.F);
        for (int64_t i = 0; i < kSize; ++i) matrix[static_cast<size_t>(i * kSize + kSize - 1 - i)] = 0.5F;
        ITensor* x = &defining.input("x", {2, kSize});
        for (int i = 0; i < kProducts; ++i) {
            ITensor& w = defining.floats({kSize, kSize}, matrix);
            x = defining.network->addMatrixMultiply(*x, MatrixOperation::kNONE, w, MatrixOperation::kNONE)
                    ->getOutput(0);
            x = defining.network->addActivation(*x, ActivationType::kTANH)->getOutput(0);
        }
        defining.output(x);
        if (streams) defining.config->setFlag(BuilderFlag::kWEIGHT_STREAMING);
        return defining.build();
    }

    static std::vector<float> input() {
        std::vector<float> x;
        for (int64_t i = 0; i < 2 * kSize; ++i) x.push_back(static_cast<float>(i % 7) - 3.F);
        return x;
    }

    static void expectRight(Running& running) {
        auto const x = input();
        auto const y = running.run(x, x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            double value = x[i]; // an even number of turns
            for (int k = 0; k < kProducts; ++k) value = std::tanh(value / 2);
            EXPECT_NEAR(y[i], value, 1e-3) << i;
        }
    }
};

TEST_F(WeightStreamingInTheApi, takesEachBudgetAndComputesTheSame) {
    Running running(*plan(true));
    ICudaEngine& engine = *running.engine;
    int64_t const all = engine.getStreamableWeightsSize();
    EXPECT_GE(all, kProducts * kSize * kSize * 4);
    EXPECT_EQ(engine.getWeightStreamingBudgetV2(), all);
    EXPECT_EQ(engine.getWeightStreamingScratchMemorySize(), 0);
    expectRight(running);
    for (int64_t const budget : {int64_t{0}, all / 2, all - 1}) {
        EXPECT_TRUE(engine.setWeightStreamingBudgetV2(budget)) << running.messages.lastError();
        EXPECT_EQ(engine.getWeightStreamingBudgetV2(), budget);
        EXPECT_GT(engine.getWeightStreamingScratchMemorySize(), 0);
        EXPECT_LT(engine.getWeightStreamingScratchMemorySize(), all);
        expectRight(running);
    }
    EXPECT_TRUE(engine.setWeightStreamingBudgetV2(2 * all));
    EXPECT_EQ(engine.getWeightStreamingBudgetV2(), all);
    EXPECT_EQ(engine.getWeightStreamingScratchMemorySize(), 0);
    EXPECT_LE(engine.getWeightStreamingAutomaticBudget(), all);
}

TEST_F(WeightStreamingInTheApi, takesBudgetsAsOf10_0) {
    Running running(*plan(true));
    ICudaEngine& engine = *running.engine;
    int64_t const least = engine.getMinimumWeightStreamingBudget();
    EXPECT_GT(least, 0);
    EXPECT_EQ(engine.getWeightStreamingBudget(), 0);
    EXPECT_FALSE(engine.setWeightStreamingBudget(least - 1));
    EXPECT_EQ(running.messages.lastError(),
              "setWeightStreamingBudget: a budget of " + std::to_string(least - 1) + " bytes; expected " +
                  std::to_string(least) +
                  " or more (getMinimumWeightStreamingBudget), 0 for no limit, or -1 for what the device has room for");
    EXPECT_TRUE(engine.setWeightStreamingBudget(least));
    EXPECT_EQ(engine.getWeightStreamingBudget(), least);
    EXPECT_EQ(engine.getWeightStreamingBudgetV2(), 0);
    expectRight(running);
    EXPECT_TRUE(engine.setWeightStreamingBudget(-1));
    EXPECT_TRUE(engine.setWeightStreamingBudget(0));
    EXPECT_EQ(engine.getWeightStreamingBudget(), 0);
    expectRight(running);
}

TEST_F(WeightStreamingInTheApi, saysWhyABudgetIsNotTaken) {
    Running streaming(*plan(true));
    EXPECT_FALSE(streaming.engine->setWeightStreamingBudgetV2(-5));
    EXPECT_EQ(streaming.messages.lastError(),
              "setWeightStreamingBudgetV2: a budget of -5 bytes; expected 0 or more, where " +
                  std::to_string(streaming.engine->getStreamableWeightsSize()) + " and more is room for all weights");
    Running other(*plan(false));
    EXPECT_EQ(other.engine->getStreamableWeightsSize(), 0);
    EXPECT_EQ(other.engine->getMinimumWeightStreamingBudget(), 0);
    EXPECT_FALSE(other.engine->setWeightStreamingBudgetV2(1000));
    EXPECT_EQ(other.messages.lastError(),
              "setWeightStreamingBudgetV2: the engine was built without BuilderFlag::kWEIGHT_STREAMING: all of its "
              "weights are where it computes; build it again with that flag");
}

} // namespace
