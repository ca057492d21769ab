// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A TensorRT application with a plugin that calls the CUDA runtime.
#pragma once

#include "support/plain_plugin.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

using namespace nvinfer1;

class Quiet final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) errors += std::string(message) + "\n";
    }
    std::string errors;
};

// The registration code of nvcc for a kernel, and the function that launches it.
extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFunction(void** binary, char const* function, char* device, char const* name, int threads, uint3*,
                            uint3*, dim3*, dim3*, int*);
}

inline void launchKernel(cudaStream_t stream) {
    static char const kernel = 0;
    static void** const binary = __cudaRegisterFatBinary(nullptr);
    __cudaRegisterFunction(binary, &kernel, nullptr, "_Z5blendPfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    (void)cudaLaunchKernel(static_cast<void const*>(&kernel), dim3(1), dim3(1), nullptr, 0, stream);
}

enum class Misuse { none, launchesKernel, leavesWorkBehind, fails };
inline Misuse misuse = Misuse::none;

// y = x, through a workspace, with copies on the stream.
class CopyPlugin final : public tenon::test::PlainPlugin {
public:
    static constexpr char const* kType = "CopyByCuda";

    char const* getPluginType() const noexcept override { return kType; }
    IPluginV2DynamicExt* clone() const noexcept override { return new CopyPlugin; }
    size_t getWorkspaceSize(PluginTensorDesc const* inputs, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return bytes(inputs[0]);
    }
    int32_t enqueue(PluginTensorDesc const* inputs, PluginTensorDesc const*, void const* const* from, void* const* to,
                    void* workspace, cudaStream_t stream) noexcept override {
        size_t const count = bytes(inputs[0]);
        if (misuse == Misuse::fails) return 1;
        if (misuse == Misuse::launchesKernel) return launchKernel(stream), 0;
        if (misuse == Misuse::leavesWorkBehind) cudaLaunchHostFunc(stream, sleepALittle, nullptr);
        cudaMemsetAsync(to[0], 0xff, count, stream);
        cudaMemcpyAsync(workspace, from[0], count, cudaMemcpyDeviceToDevice, stream);
        cudaMemcpyAsync(to[0], workspace, count, cudaMemcpyDeviceToDevice, stream);
        return cudaPeekAtLastError();
    }

private:
    static void sleepALittle(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
    static size_t bytes(PluginTensorDesc const& tensor) {
        size_t count = sizeof(float);
        for (int32_t axis = 0; axis < tensor.dims.nbDims; ++axis) count *= static_cast<size_t>(tensor.dims.d[axis]);
        return count;
    }
};

using CopyPluginCreator = tenon::test::PlainCreator<CopyPlugin>;

// y = -copy(-x), so that the plugin is between the engine's own tensors.
inline std::unique_ptr<IHostMemory> buildCopyingEngine(ILogger& logger, Dims const& dims = Dims2(3, 5)) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    ITensor* const x = network->addInput("x", DataType::kFLOAT, dims);
    ITensor* tensor = network->addUnary(*x, UnaryOperation::kNEG)->getOutput(0);
    if (dims.d[0] < 0) { // 1 to 4 rows
        IOptimizationProfile* const profile = builder->createOptimizationProfile();
        profile->setDimensions("x", OptProfileSelector::kMIN, Dims2(1, 5));
        profile->setDimensions("x", OptProfileSelector::kOPT, Dims2(3, 5));
        profile->setDimensions("x", OptProfileSelector::kMAX, Dims2(4, 5));
        config->addOptimizationProfile(profile);
    }
    CopyPlugin plugin;
    tensor = network->addPluginV2(&tensor, 1, plugin)->getOutput(0);
    tensor = network->addUnary(*tensor, UnaryOperation::kNEG)->getOutput(0);
    tensor->setName("y");
    network->markOutput(*tensor);
    return std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config));
}
