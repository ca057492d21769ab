// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a TensorRT program does around an engine, on host memory: buffers, copies on a stream, events, and a plugin that
// calls the CUDA runtime with the pointers that the engine gives it.
#include <NvInfer.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

using namespace nvinfer1;

class Quiet final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) errors += std::string(message) + "\n";
    }
    std::string errors;
};

// What nvcc writes into a program with a kernel, and into the function that launches it.
extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFunction(void** binary, char const* function, char* device, char const* name, int threads, uint3*,
                            uint3*, dim3*, dim3*, int*);
}

void launchKernel(cudaStream_t stream) {
    static char const kernel = 0;
    static void** const binary = __cudaRegisterFatBinary(nullptr);
    __cudaRegisterFunction(binary, &kernel, nullptr, "_Z5blendPfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    (void)cudaLaunchKernel(static_cast<void const*>(&kernel), dim3(1), dim3(1), nullptr, 0, stream);
}

enum class Misuse { none, launchesKernel, leavesWorkBehind };
Misuse misuse = Misuse::none;

// y = x, by way of a workspace, with copies on the stream.
class CopyPlugin final : public IPluginV2DynamicExt {
public:
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) noexcept override {
        return inputs[0];
    }
    bool supportsFormatCombination(int32_t index, PluginTensorDesc const* tensors, int32_t, int32_t) noexcept override {
        return tensors[index].type == DataType::kFLOAT && tensors[index].format == TensorFormat::kLINEAR;
    }
    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}
    size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return bytes(inputs[0]);
    }
    int32_t enqueue(PluginTensorDesc const* inputs, PluginTensorDesc const*, void const* const* from, void* const* to,
                    void* workspace, cudaStream_t stream) noexcept override {
        size_t const count = bytes(inputs[0]);
        if (misuse == Misuse::launchesKernel) return launchKernel(stream), 0;
        if (misuse == Misuse::leavesWorkBehind) cudaLaunchHostFunc(stream, sleepALittle, nullptr);
        cudaMemsetAsync(to[0], 0xff, count, stream);
        cudaMemcpyAsync(workspace, from[0], count, cudaMemcpyDeviceToDevice, stream);
        cudaMemcpyAsync(to[0], workspace, count, cudaMemcpyDeviceToDevice, stream);
        return cudaPeekAtLastError();
    }
    DataType getOutputDataType(int32_t, DataType const*, int32_t) const noexcept override { return DataType::kFLOAT; }
    IPluginV2DynamicExt* clone() const noexcept override { return new CopyPlugin; }
    char const* getPluginType() const noexcept override { return "CopyByCuda"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getSerializationSize() const noexcept override { return 0; }
    void serialize(void*) const noexcept override {}
    void destroy() noexcept override { delete this; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    static void sleepALittle(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
    static size_t bytes(PluginTensorDesc const& tensor) {
        size_t count = sizeof(float);
        for (int32_t axis = 0; axis < tensor.dims.nbDims; ++axis) count *= static_cast<size_t>(tensor.dims.d[axis]);
        return count;
    }
};

class CopyPluginCreator final : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "CopyByCuda"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override { return new CopyPlugin; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override { return new CopyPlugin; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginFieldCollection fields_{};
};
REGISTER_TENSORRT_PLUGIN(CopyPluginCreator);

// y = -copy(-x), so that the plugin stands between the engine's own tensors.
std::unique_ptr<IHostMemory> buildCopyingEngine(ILogger& logger) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims2(3, 5));
    ITensor* tensor = network->addUnary(*x, UnaryOperation::kNEG)->getOutput(0);
    CopyPlugin plugin;
    tensor = network->addPluginV2(&tensor, 1, plugin)->getOutput(0);
    tensor = network->addUnary(*tensor, UnaryOperation::kNEG)->getOutput(0);
    tensor->setName("y");
    network->markOutput(*tensor);
    return std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config));
}

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
