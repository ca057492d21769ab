// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a TensorRT program does around an engine, on host memory: buffers, copies on a stream, events, and a plugin that
// calls the CUDA runtime with the pointers that the engine gives it.
#include "client.h"

namespace {

REGISTER_TENSORRT_PLUGIN(CopyPluginCreator);

TEST(HostCudaClient, CopiesRunsAndTimesAnEngineOnAStream) {
    constexpr size_t kCount = 15, kBytes = kCount * sizeof(float);
    Quiet logger;
    auto const plan = buildCopyingEngine(logger);
    ASSERT_NE(plan, nullptr) << logger.errors;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(engine, nullptr) << logger.errors;
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());

    float *x = nullptr, *y = nullptr, *host = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, end = nullptr;
    ASSERT_EQ(cudaMalloc(&x, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&y, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&host, kBytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
    ASSERT_TRUE(context->setTensorAddress("x", x)) << logger.errors;
    ASSERT_TRUE(context->setTensorAddress("y", y));

    std::vector<float> input(kCount);
    for (size_t index = 0; index < kCount; ++index) input[index] = 0.5F * static_cast<float>(index) - 3.0F;
    ASSERT_EQ(cudaEventRecord(start, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(x, input.data(), kBytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_TRUE(context->enqueueV3(stream)) << logger.errors;
    ASSERT_EQ(cudaMemcpyAsync(host, y, kBytes, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(end, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(std::vector<float>(host, host + kCount), input);
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    EXPECT_GE(milliseconds, 0.0F);

    EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
    EXPECT_EQ(cudaFree(y), cudaSuccess);
    EXPECT_EQ(cudaFree(x), cudaSuccess);
    EXPECT_EQ(logger.errors, "");
}

// Runs the engine once, on buffers that the program holds in plain memory.
bool runOnce(Quiet& logger, cudaStream_t stream, std::vector<float>& y) {
    auto const plan = buildCopyingEngine(logger);
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::vector<float> x(15, 2.5F);
    y.assign(15, 0.0F);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    return context->enqueueV3(stream);
}

TEST(HostCudaClient, WhatAPluginLeavesInTheStreamIsDoneBeforeTheNextLayer) {
    Quiet logger;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    misuse = Misuse::leavesWorkBehind;
    std::vector<float> y;
    EXPECT_TRUE(runOnce(logger, stream, y)) << logger.errors;
    misuse = Misuse::none;
    EXPECT_EQ(y, std::vector<float>(15, 2.5F));
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(HostCudaClient, APluginThatLaunchesAKernelIsNamed) {
    for (cudaStream_t const stream : {cudaStream_t{}, cudaStreamPerThread}) {
        Quiet logger;
        misuse = Misuse::launchesKernel;
        std::vector<float> y;
        EXPECT_FALSE(runOnce(logger, stream, y));
        misuse = Misuse::none;
        EXPECT_NE(logger.errors.find("CopyByCuda"), std::string::npos) << logger.errors;
        EXPECT_NE(logger.errors.find("enqueue left cudaErrorNoKernelImageForDevice in the CUDA runtime; on the CPU a "
                                     "plugin must launch no kernels: give it code for the CPU"),
                  std::string::npos)
            << logger.errors;
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
}

} // namespace
