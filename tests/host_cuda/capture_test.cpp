// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines on the CPU in CUDA graphs.
#include "client.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace {

using namespace nvinfer1;

// y = -copy(-x), with a plugin that calls the runtime; x of 1 to 4 rows.
class CapturedEngine : public testing::Test {
protected:
    static constexpr size_t kCount = 20;

    void SetUp() override {
        auto const plan = buildCopyingEngine(logger, Dims2(-1, 5));
        ASSERT_NE(plan, nullptr) << logger.errors;
        runtime.reset(createInferRuntime(logger));
        engine.reset(runtime->deserializeCudaEngine(plan->data(), plan->size()));
        ASSERT_NE(engine, nullptr) << logger.errors;
        context.reset(engine->createExecutionContext());
        for (float** memory : {&x, &y}) ASSERT_EQ(cudaMalloc(memory, kCount * sizeof(float)), cudaSuccess);
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        set(3);
    }
    void TearDown() override {
        misuse = Misuse::none;
        if (executable != nullptr) cudaGraphExecDestroy(executable);
        if (graph != nullptr) cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        cudaFree(x);
        cudaFree(y);
    }

    void set(int32_t rows) {
        ASSERT_TRUE(context->setInputShape("x", Dims2(rows, 5))) << logger.errors;
        ASSERT_TRUE(context->setTensorAddress("x", x));
        ASSERT_TRUE(context->setTensorAddress("y", y));
    }
    void end() {
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    }
    void capture() {
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
        ASSERT_TRUE(context->enqueueV3(stream)) << logger.errors;
        end();
    }
    // The first of y after a launch with this value in all of x, and the number of elements of y written.
    std::pair<float, size_t> launch(float value) {
        std::fill_n(x, kCount, value);
        std::fill_n(y, kCount, -1.0F);
        EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        return {*y, kCount - static_cast<size_t>(std::count(y, y + kCount, -1.0F))};
    }

    Quiet logger;
    std::unique_ptr<IRuntime> runtime;
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IExecutionContext> context;
    float *x = nullptr, *y = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
};

TEST_F(CapturedEngine, ComputesAtEachLaunchAndNotBefore) {
    std::fill_n(y, kCount, -1.0F);
    capture();
    EXPECT_EQ(*y, -1.0F);
    for (float value : {2.0F, 3.0F}) EXPECT_EQ(launch(value), std::pair(value, size_t{15}));
    EXPECT_EQ(logger.errors, "");
}

TEST_F(CapturedEngine, StandsBetweenCopiesAndFunctionsOfTheProgram) {
    float from[15], to[15] = {};
    std::atomic<int> calls{0};
    std::fill_n(from, 15, 4.0F);
    auto const count = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(x, from, sizeof(from), cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(stream, count, &calls), cudaSuccess);
    ASSERT_TRUE(context->enqueueV3(stream)) << logger.errors;
    ASSERT_EQ(cudaMemcpyAsync(to, y, sizeof(to), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    end();
    launch(0.0F);
    EXPECT_EQ(std::vector<float>(to, to + 15), std::vector<float>(15, 4.0F));
    EXPECT_EQ(calls, 1);
}

TEST_F(CapturedEngine, KeepsItsShapeAndAddressesWhateverTheContextDoesNext) {
    capture();
    std::vector<float> otherX(kCount, 6.0F), otherY(kCount, 0.0F);
    set(4);
    context->setTensorAddress("x", otherX.data());
    context->setTensorAddress("y", otherY.data());
    ASSERT_TRUE(context->enqueueV3(stream)) << logger.errors;
    EXPECT_EQ(launch(5.0F), std::pair(5.0F, size_t{15}));
    EXPECT_EQ(otherY, otherX);
    context.reset();
    engine.reset();
    runtime.reset();
    EXPECT_EQ(launch(7.0F), std::pair(7.0F, size_t{15}));
}

TEST_F(CapturedEngine, OtherThreadsRunBesideACapture) {
    std::unique_ptr<IExecutionContext> const second(engine->createExecutionContext());
    std::vector<float> from(5, 8.0F), to(5, 0.0F);
    second->setInputShape("x", Dims2(1, 5));
    second->setTensorAddress("x", from.data());
    second->setTensorAddress("y", to.data());
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    std::thread([&] {
        cudaStream_t other = nullptr;
        EXPECT_EQ(cudaStreamCreate(&other), cudaSuccess);
        EXPECT_TRUE(second->enqueueV3(other)) << logger.errors;
        cudaStreamDestroy(other);
    }).join();
    ASSERT_TRUE(context->enqueueV3(stream)) << logger.errors;
    end();
    EXPECT_EQ(to, from);
    EXPECT_EQ(launch(2.0F).first, 2.0F);
}

TEST_F(CapturedEngine, RunsAfterACaptureThatFailed) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_FALSE(context->enqueueV3(stream));
    EXPECT_NE(
        logger.errors.find("enqueueV3: the capture of the stream has already failed; end it with cudaStreamEndCapture"),
        std::string::npos)
        << logger.errors;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    std::fill_n(x, kCount, 9.0F);
    EXPECT_TRUE(context->enqueueV3(stream)) << logger.errors;
    EXPECT_EQ(*y, 9.0F);
}

TEST_F(CapturedEngine, SaysWhyALaunchFailed) {
    capture();
    misuse = Misuse::fails;
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorLaunchFailure);
    EXPECT_NE(logger.errors.find("a launch of a graph that captured enqueueV3: "), std::string::npos) << logger.errors;
    EXPECT_NE(logger.errors.find("plugin CopyByCuda"), std::string::npos) << logger.errors;
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    x = y = nullptr; // freed with all other allocations
}

} // namespace
