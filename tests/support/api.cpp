// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include "tenon/memory.h"

#include <algorithm>

namespace tenon::test {

using namespace nvinfer1;

ITensor& Defining::input(char const* name, std::vector<int64_t> const& extents, DataType type) {
    ITensor* tensor = network->addInput(name, type, dims(extents));
    if (tensor == nullptr) throw std::runtime_error(messages.lastError());
    return *tensor;
}

ITensor& Defining::constant(std::vector<int64_t> const& extents, Weights const& values) {
    IConstantLayer* layer = network->addConstant(dims(extents), values);
    if (layer == nullptr) throw std::runtime_error(messages.lastError());
    return *layer->getOutput(0);
}

ITensor& Defining::floats(std::vector<int64_t> const& extents, std::vector<float> const& values) {
    return constant(extents, weights(floats_.emplace_back(values)));
}

ITensor& Defining::integers(std::vector<int64_t> const& extents, std::vector<int32_t> const& values) {
    std::vector<int32_t> const& kept = integers_.emplace_back(values);
    return constant(extents, {DataType::kINT32, kept.data(), static_cast<int64_t>(kept.size())});
}

void Defining::output(ITensor* tensor, char const* name) {
    if (tensor == nullptr) throw std::runtime_error("no tensor; the last error is: " + messages.lastError());
    tensor->setName(name);
    network->markOutput(*tensor);
}

void Defining::range(char const* input, std::vector<int64_t> const& min, std::vector<int64_t> const& opt,
                     std::vector<int64_t> const& max) {
    IOptimizationProfile* profile = builder->createOptimizationProfile();
    profile->setDimensions(input, OptProfileSelector::kMIN, dims(min));
    profile->setDimensions(input, OptProfileSelector::kOPT, dims(opt));
    profile->setDimensions(input, OptProfileSelector::kMAX, dims(max));
    config->addOptimizationProfile(profile);
}

std::unique_ptr<IHostMemory> Defining::build() {
    std::unique_ptr<IHostMemory> file(builder->buildSerializedNetwork(*network, *config));
    if (!file) throw std::runtime_error("the build failed: " + messages.lastError());
    return file;
}

Running::Running(IHostMemory const& file)
    : runtime(createInferRuntime(messages)), engine(runtime->deserializeCudaEngine(file.data(), file.size())) {
    if (!engine) throw std::runtime_error("the engine was not loaded: " + messages.lastError());
    context.reset(engine->createExecutionContext());
    if (!context) throw std::runtime_error("no context: " + messages.lastError());
}

void Running::run() { ASSERT_TRUE(context->enqueueV3(nullptr)) << messages.lastError(); }

std::vector<float> Running::run(std::vector<float> x, size_t yCount) {
    std::vector<float> y(yCount);
    DeviceMemory const xThere(nullptr, x.size() * sizeof(float));
    DeviceMemory const yThere(nullptr, y.size() * sizeof(float));
    Stream stream;
    stream.copy(xThere.data(), x.data(), xThere.size());
    context->setTensorAddress("x", xThere.data());
    context->setTensorAddress("y", yThere.data());
    EXPECT_TRUE(context->enqueueV3(stream.get())) << messages.lastError();
    stream.copy(y.data(), yThere.data(), yThere.size());
    EXPECT_EQ(stream.wait(), nullptr);
    return y;
}

Dims dims(std::vector<int64_t> const& extents) {
    Dims dims{static_cast<int32_t>(extents.size()), {}};
    std::ranges::copy(extents, dims.d);
    return dims;
}

std::vector<int64_t> extents(Dims const& dims) { return {dims.d, dims.d + std::max(dims.nbDims, 0)}; }

Weights weights(std::vector<float> const& values) {
    return {DataType::kFLOAT, values.data(), static_cast<int64_t>(values.size())};
}

} // namespace tenon::test
