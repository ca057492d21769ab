// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that stream weights to a GPU: captured by the application, and in several threads. Skipped without a GPU.

#include "on_gpu.h"
#include "support/api.h"

#include <thread>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::CapturedRun;
using test::Defining;
using test::OnGpu;
using test::Running;

using Floats = std::vector<float>;

constexpr int kWide = 256;
constexpr int kProducts = 6;

/// Each matrix moves column i to another index and multiplies it by a power of 2, so that all is exact in any floating
/// point type: their order matters.
int placeBehind(int number, int i) { return (i + number + 1) % kWide; }
float factor(int number, int i) { return static_cast<float>(1 << (i / (number + 1) % 2)); }

/// X [1,kWide] → X·W0·W1·…, each W [kWide,kWide] of 256 KiB.
struct StreamingEngine : test::GpuTest {
    static std::unique_ptr<IHostMemory> plan() {
        Defining d;
        ITensor* x = &d.input("x", {1, kWide});
        for (int number = 0; number < kProducts; ++number) {
            Floats w(kWide * kWide, 0);
            for (int i = 0; i < kWide; ++i)
                w[static_cast<size_t>(i * kWide + placeBehind(number, i))] = factor(number, i);
            x = d.network
                    ->addMatrixMultiply(*x, MatrixOperation::kNONE, d.floats({kWide, kWide}, w), MatrixOperation::kNONE)
                    ->getOutput(0);
        }
        d.output(x);
        d.config->setFlag(BuilderFlag::kWEIGHT_STREAMING);
        return d.build();
    }

    static Floats input(int seed) {
        Floats x;
        for (int i = 0; i < kWide; ++i) x.push_back(static_cast<float>((i * 7 + seed) % 16 - 8));
        return x;
    }

    static Floats expected(Floats x) {
        for (int number = 0; number < kProducts; ++number) {
            Floats y(kWide, 0);
            for (int i = 0; i < kWide; ++i)
                y[static_cast<size_t>(placeBehind(number, i))] = x[static_cast<size_t>(i)] * factor(number, i);
            x = y;
        }
        return x;
    }

    /// Runs in a context of its own, with other values each time.
    static void runOften(IExecutionContext& context, int seed) {
        OnGpu<float> x(input(seed));
        OnGpu<float> y(Floats(kWide, 0));
        context.setTensorAddress("x", x.memory.data());
        context.setTensorAddress("y", y.memory.data());
        for (int run = 0; run < 100; ++run) {
            x.set(input(seed + run));
            ASSERT_TRUE(context.enqueueV3(y.stream.get()));
            ASSERT_EQ(y.fetch(), expected(input(seed + run))) << "run " << run;
        }
    }
};

TEST_F(StreamingEngine, isCapturedAndReplayed) {
    Running r(*plan());
    int64_t const all = r.engine->getStreamableWeightsSize();
    OnGpu<float> x(input(0));
    OnGpu<float> y(Floats(kWide, 0));
    r.context->setTensorAddress("x", x.memory.data());
    r.context->setTensorAddress("y", y.memory.data());
    for (int64_t const budget : {int64_t{0}, all / 3, all}) {
        ASSERT_TRUE(r.engine->setWeightStreamingBudgetV2(budget)) << r.messages.lastError();
        ASSERT_TRUE(r.context->enqueueV3(y.stream.get())) << r.messages.lastError();
        EXPECT_EQ(y.stream.wait(), nullptr);
        CapturedRun captured; // again after each budget
        ASSERT_TRUE(captured.capture(*r.context, y.stream)) << r.messages.lastError();
        for (int replay = 0; replay < 5; ++replay) {
            x.set(input(replay));
            y.set(Floats(kWide, 0));
            captured.replay(y.stream);
            EXPECT_EQ(y.fetch(), expected(input(replay))) << "budget " << budget << ", replay " << replay;
        }
    }
}

TEST_F(StreamingEngine, runsInSeveralThreads) {
    Running r(*plan());
    ASSERT_TRUE(r.engine->setWeightStreamingBudgetV2(r.engine->getStreamableWeightsSize() / 3));
    std::unique_ptr<IExecutionContext> const other(r.engine->createExecutionContext());
    std::thread beside([&] { runOften(*other, 1000); });
    runOften(*r.context, 0);
    beside.join();
}

TEST_F(StreamingEngine, tellsItsMemoryWhileContextsAreMade) {
    auto const file = plan();
    test::Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    for (int round = 0; round < 5; ++round) {
        std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
        int64_t const bytes = engine->getDeviceMemorySizeV2();
        std::unique_ptr<IExecutionContext> contexts[2];
        std::thread first([&] { contexts[0].reset(engine->createExecutionContext()); });
        std::thread second([&] { contexts[1].reset(engine->createExecutionContext()); });
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(engine->getDeviceMemorySizeV2(), bytes);
            EXPECT_EQ(engine->getWeightStreamingScratchMemorySize(), 0);
        }
        first.join();
        second.join();
        for (auto const& context : contexts) ASSERT_NE(context, nullptr) << messages.lastError();
        runOften(*contexts[round % 2], round);
    }
}

} // namespace
} // namespace tenon
