// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the clients: a logger, checks, and device memory that frees itself.

#pragma once

#include <NvInfer.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace client {

class Logger final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) std::fprintf(stderr, "%s\n", text);
    }
};

/// Ends the process if `holds` is false.
inline void require(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::exit(1);
}

inline void check(cudaError_t status) { require(status == cudaSuccess, cudaGetErrorString(status)); }

inline void requireNear(std::vector<float> const& found, std::vector<float> const& expected) {
    require(found.size() == expected.size(), "the expected number of elements");
    for (size_t i = 0; i < found.size(); ++i) {
        bool const near = std::fabs(found[i] - expected[i]) <= 1e-5F * (1 + std::fabs(expected[i]));
        if (!near) std::fprintf(stderr, "element %zu is %g, expected %g\n", i, found[i], expected[i]);
        require(near, "the values that were expected");
    }
}

/// Floats on the device.
class DeviceFloats {
public:
    explicit DeviceFloats(size_t count) : count_(count) { check(cudaMalloc(&data_, bytes())); }
    ~DeviceFloats() { cudaFree(data_); }
    DeviceFloats(DeviceFloats const&) = delete;
    DeviceFloats& operator=(DeviceFloats const&) = delete;

    void* data() const { return data_; }
    size_t bytes() const { return count_ * sizeof(float); }
    void set(std::vector<float> const& values, cudaStream_t stream) {
        require(values.size() <= count_, "room for the values");
        check(cudaMemcpyAsync(data_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
    }
    /// The first `count`, after all earlier work of the stream.
    std::vector<float> get(size_t count, cudaStream_t stream) const {
        std::vector<float> values(count);
        check(cudaMemcpyAsync(values.data(), data_, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        return values;
    }

private:
    size_t count_;
    void* data_ = nullptr;
};

struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { check(cudaStreamCreate(&handle)); }
    ~Stream() { cudaStreamDestroy(handle); }
    operator cudaStream_t() const { return handle; }
};

template <class T> using Owned = std::unique_ptr<T>;

/// Defines a network y = f(x).
struct Definition {
    Owned<nvinfer1::IBuilder> builder;
    Owned<nvinfer1::INetworkDefinition> network;
    Owned<nvinfer1::IBuilderConfig> config;

    explicit Definition(Logger& logger) : builder(nvinfer1::createInferBuilder(logger)) {
        require(builder != nullptr, "a builder");
        network.reset(builder->createNetworkV2(0));
        config.reset(builder->createBuilderConfig());
    }

    void output(nvinfer1::ITensor* tensor, char const* name) {
        tensor->setName(name);
        network->markOutput(*tensor);
    }

    /// A profile for an input.
    nvinfer1::IOptimizationProfile* range(char const* input, nvinfer1::Dims const& min, nvinfer1::Dims const& opt,
                                          nvinfer1::Dims const& max) {
        using nvinfer1::OptProfileSelector;
        nvinfer1::IOptimizationProfile* profile = builder->createOptimizationProfile();
        require(profile->setDimensions(input, OptProfileSelector::kMIN, min), "kMIN");
        require(profile->setDimensions(input, OptProfileSelector::kOPT, opt), "kOPT");
        require(profile->setDimensions(input, OptProfileSelector::kMAX, max), "kMAX");
        require(config->addOptimizationProfile(profile) >= 0, "a profile");
        return profile;
    }

    Owned<nvinfer1::IHostMemory> build() {
        Owned<nvinfer1::IHostMemory> file(builder->buildSerializedNetwork(*network, *config));
        require(file != nullptr, "an engine");
        return file;
    }
};

/// A loaded engine. The runtime must outlive it, so it is the first member.
struct Loaded {
    Owned<nvinfer1::IRuntime> runtime;
    Owned<nvinfer1::ICudaEngine> engine;

    Loaded(Logger& logger, nvinfer1::IHostMemory const& file) : runtime(nvinfer1::createInferRuntime(logger)) {
        engine.reset(runtime->deserializeCudaEngine(file.data(), file.size()));
        require(engine != nullptr, "a loaded engine");
    }

    Owned<nvinfer1::IExecutionContext> context() const {
        Owned<nvinfer1::IExecutionContext> made(engine->createExecutionContext());
        require(made != nullptr, "a context");
        return made;
    }
};

/// The softmax of one row.
inline std::vector<float> softmax(std::vector<float> row) {
    float sum = 0;
    for (float& value : row) sum += value = std::exp(value);
    for (float& value : row) value /= sum;
    return row;
}

} // namespace client
