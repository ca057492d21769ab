// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include <array>
#include <cmath>

namespace {

using namespace nvinfer1;
using tenon::test::Defining;
using tenon::test::Running;

constexpr std::array<int64_t, 4> kColumns{1024, 128, 128, 1024}; // of X, and after each product
constexpr int64_t kRows = 2;

/// The matrix W [kColumns[k],kColumns[k + 1]] of a product. It has one element in a column, or in a row.
float element(size_t k, int64_t row, int64_t column) {
    int64_t const turn = std::min(kColumns[k], kColumns[k + 1]);
    bool const isThere = row % turn == (column + static_cast<int64_t>(k) + 1) % turn;
    return isThere ? 0.25F * static_cast<float>(1 + (row + column) % 2) : 0;
}

/// X [kRows,1024] → tanh(tanh(tanh(X·W0)·W1)·W2), with weights of 512, 64 and 512 KiB.
class WeightStreamingInTheApi : public ::testing::Test {
protected:
    static std::unique_ptr<IHostMemory> plan(std::vector<BuilderFlag> const& flags) {
        Defining defining;
        ITensor* x = &defining.input("x", {kRows, kColumns[0]});
        for (size_t k = 0; k + 1 < kColumns.size(); ++k) {
            std::vector<float> matrix;
            for (int64_t i = 0; i < kColumns[k] * kColumns[k + 1]; ++i)
                matrix.push_back(element(k, i / kColumns[k + 1], i % kColumns[k + 1]));
            ITensor& w = defining.floats({kColumns[k], kColumns[k + 1]}, matrix);
            x = defining.network->addMatrixMultiply(*x, MatrixOperation::kNONE, w, MatrixOperation::kNONE)
                    ->getOutput(0);
            x = defining.network->addActivation(*x, ActivationType::kTANH)->getOutput(0);
        }
        defining.output(x);
        for (BuilderFlag const flag : flags) defining.config->setFlag(flag);
        return defining.build();
    }

    static std::vector<float> input() {
        std::vector<float> x;
        for (int64_t i = 0; i < kRows * kColumns[0]; ++i) x.push_back(static_cast<float>(i % 7) - 3.F);
        return x;
    }

    /// One row through all products.
    static std::vector<double> expected(std::vector<double> x) {
        for (size_t k = 0; k + 1 < kColumns.size(); ++k) {
            std::vector<double> y(static_cast<size_t>(kColumns[k + 1]), 0);
            for (size_t column = 0; column < y.size(); ++column) {
                for (size_t row = 0; row < x.size(); ++row)
                    y[column] += x[row] * element(k, static_cast<int64_t>(row), static_cast<int64_t>(column));
                y[column] = std::tanh(y[column]);
            }
            x = y;
        }
        return x;
    }

    static void expectRight(Running& running) {
        auto const x = input();
        auto const y = running.run(x, kRows * kColumns.back());
        for (int64_t row = 0; row < kRows; ++row) {
            auto const at = x.begin() + row * kColumns[0];
            auto const values = expected({at, at + kColumns[0]});
            for (size_t i = 0; i < values.size(); ++i)
                EXPECT_NEAR(y[static_cast<size_t>(row) * values.size() + i], values[i], 1e-3) << row << ", " << i;
        }
    }
};

TEST_F(WeightStreamingInTheApi, takesEachBudgetAndComputesTheSame) {
    Running running(*plan({BuilderFlag::kWEIGHT_STREAMING}));
    ICudaEngine& engine = *running.engine;
    int64_t const all = engine.getStreamableWeightsSize();
    EXPECT_GE(all, (1024 * 128 + 128 * 128 + 128 * 1024) * 4);
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
    Running running(*plan({BuilderFlag::kWEIGHT_STREAMING}));
    ICudaEngine& engine = *running.engine;
    int64_t const least = engine.getMinimumWeightStreamingBudget();
    EXPECT_GT(least, 0);
    EXPECT_EQ(engine.getWeightStreamingBudget(), 0);
    EXPECT_FALSE(engine.setWeightStreamingBudget(least - 1));
    EXPECT_EQ(running.messages.lastError(),
              "setWeightStreamingBudget: a budget of " + std::to_string(least - 1) + " bytes; expected " +
                  std::to_string(least) +
                  " or more (getMinimumWeightStreamingBudget), 0 for no limit, or -1 for the memory of the device");
    EXPECT_TRUE(engine.setWeightStreamingBudget(least));
    EXPECT_EQ(engine.getWeightStreamingBudget(), least);
    EXPECT_EQ(engine.getWeightStreamingBudgetV2(), 0);
    expectRight(running);
    for (int64_t const budget : {least + 1024, least + 64 * 1024 + 1024, least + 512 * 1024}) {
        EXPECT_TRUE(engine.setWeightStreamingBudget(budget));
        EXPECT_LE(engine.getWeightStreamingBudgetV2() + engine.getWeightStreamingScratchMemorySize(), budget);
        EXPECT_EQ(engine.getWeightStreamingBudget(), budget);
    }
    EXPECT_TRUE(engine.setWeightStreamingBudget(-1));
    EXPECT_TRUE(engine.setWeightStreamingBudget(0));
    EXPECT_EQ(engine.getWeightStreamingBudget(), 0);
    expectRight(running);
}

TEST_F(WeightStreamingInTheApi, saysWhyABudgetIsNotTaken) {
    Running streaming(*plan({BuilderFlag::kWEIGHT_STREAMING}));
    EXPECT_FALSE(streaming.engine->setWeightStreamingBudgetV2(-5));
    EXPECT_EQ(streaming.messages.lastError(), "setWeightStreamingBudgetV2: a budget of -5 bytes; expected 0 or more, " +
                                                  std::to_string(streaming.engine->getStreamableWeightsSize()) +
                                                  " for all weights");
    Running other(*plan({}));
    EXPECT_EQ(other.engine->getStreamableWeightsSize(), 0);
    EXPECT_EQ(other.engine->getMinimumWeightStreamingBudget(), 0);
    EXPECT_FALSE(other.engine->setWeightStreamingBudgetV2(1000));
    EXPECT_EQ(other.messages.lastError(), "setWeightStreamingBudgetV2: the engine was built without "
                                          "BuilderFlag::kWEIGHT_STREAMING; build it again with that flag");
}

TEST_F(WeightStreamingInTheApi, tellsNothingOfWeightsThatWereLeftOut) {
    auto const file = plan({BuilderFlag::kWEIGHT_STREAMING, BuilderFlag::kSTRIP_PLAN});
    tenon::test::Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    ASSERT_NE(engine, nullptr) << messages.lastError();
    auto const expectRefused = [&](std::string const& call) {
        EXPECT_EQ(
            messages.lastError(),
            call + ": the weights are not in the engine (BuilderFlag::kSTRIP_PLAN); refit them with IRefitter first");
    };
    EXPECT_EQ(engine->getDeviceMemorySizeV2(), 0);
    expectRefused("getDeviceMemorySize");
    EXPECT_EQ(engine->getDeviceMemorySizeForProfileV2(0), 0);
    expectRefused("getDeviceMemorySizeForProfile");
    EXPECT_EQ(engine->getWeightStreamingAutomaticBudget(), 0);
    expectRefused("getWeightStreamingAutomaticBudget");
    for (int64_t const budget : {-1, 1 << 20}) {
        EXPECT_FALSE(engine->setWeightStreamingBudget(budget));
        expectRefused("setWeightStreamingBudget");
    }
    EXPECT_TRUE(engine->setWeightStreamingBudgetV2(1 << 20)) << messages.lastError();
    EXPECT_EQ(engine->getStreamableWeightsSize(), 0);
}

} // namespace
