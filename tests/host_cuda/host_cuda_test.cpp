// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A TensorRT application's calls around an engine, on host memory: buffers, copies on a stream, events, and a plugin
// that calls the CUDA runtime with the engine's pointers.
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

// As in applications: one device buffer, into which each batch is copied.
class Calibrator final : public IInt8MinMaxCalibrator {
public:
    Calibrator() { EXPECT_EQ(cudaMalloc(&batch_, kBytes), cudaSuccess); }
    ~Calibrator() override { cudaFree(batch_); }
    int32_t getBatchSize() const noexcept override { return 1; }
    bool getBatch(void* bindings[], char const*[], int32_t) noexcept override {
        float const values[] = {1, static_cast<float>(-given_), 0.5F};
        bindings[0] = batch_;
        return ++given_ <= 3 && cudaMemcpy(batch_, values, kBytes, cudaMemcpyHostToDevice) == cudaSuccess;
    }
    void const* readCalibrationCache(size_t&) noexcept override { return nullptr; }
    void writeCalibrationCache(void const* cache, size_t length) noexcept override {
        written.assign(static_cast<char const*>(cache), length);
    }
    std::string written;

private:
    static constexpr size_t kBytes = 3 * sizeof(float);
    void* batch_ = nullptr;
    int given_ = 0;
};

TEST(HostCudaClient, CalibratesABuild) {
    Quiet logger;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims{1, {3}});
    ITensor* const y = network->addActivation(*x, ActivationType::kRELU)->getOutput(0);
    y->setName("y");
    network->markOutput(*y);
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    Calibrator calibrator;
    config->setFlag(BuilderFlag::kINT8);
    config->setInt8Calibrator(&calibrator);
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    ASSERT_NE(plan, nullptr) << logger.errors;
    // The bits of float32(2 / 127) and float32(1 / 127), by Python's struct
    EXPECT_NE(calibrator.written.find("MinMaxCalibration\nx: 3c810204\ny: 3c010204\n"), std::string::npos)
        << calibrator.written;
}

// Runs the engine once, on buffers in plain memory.
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
        EXPECT_NE(logger.errors.find("enqueue left cudaErrorNoKernelImageForDevice in the CUDA runtime; a plugin on "
                                     "the CPU cannot launch kernels; add code for the CPU"),
                  std::string::npos)
            << logger.errors;
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
}

} // namespace
