// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include "files.h"

#include <stdexcept>

using namespace nvinfer1;

namespace ocr {

namespace {

void require(char const* why) {
    if (why != nullptr) throw std::runtime_error(why);
}

size_t bytesOf(Dims const& shape, DataType type) {
    size_t bytes = type == DataType::kINT64 ? 8 : 4; // the demo's engines have these outputs, int32 and float
    for (int32_t i = 0; i < shape.nbDims; ++i) bytes *= size_t(shape.d[i]);
    return bytes;
}

} // namespace

void* OutputBuffer::reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) {
    if (memory_ == nullptr || size > memory_->size()) memory_ = std::make_unique<tenon::DeviceMemory>(nullptr, size);
    return memory_->data(); // null if there was none
}

void OutputBuffer::fetch(tenon::Stream& stream, size_t bytes) {
    host_.resize(bytes);
    if (bytes != 0) require(stream.copy(host_.data(), memory_->data(), bytes));
}

void OutputBuffer::notifyShape(char const*, Dims const& dims) noexcept { shape_ = dims; }

Engine::Engine(IRuntime& runtime, std::filesystem::path const& file) : file_(file.string()) {
    require(stream_.error());
    std::string const plan = readFile(file);
    engine_.reset(runtime.deserializeCudaEngine(plan.data(), plan.size()));
    if (engine_ != nullptr) context_.reset(engine_->createExecutionContext());
    if (context_ == nullptr) throw std::runtime_error(file_ + ": cannot be loaded as an engine");
    for (int32_t i = 0; i < engine_->getNbIOTensors(); ++i) {
        char const* const name = engine_->getIOTensorName(i);
        if (engine_->getTensorIOMode(name) == TensorIOMode::kINPUT)
            input_ = name;
        else
            context_->setOutputAllocator(name, &outputs_[name]);
    }
}

void Engine::run(Tensor const& input) {
    Dims shape{int32_t(input.shape.size()), {}};
    std::copy(input.shape.begin(), input.shape.end(), shape.d);
    // The same code for all devices: on the CPU, the copy is within host memory and the synchronization returns
    // immediately.
    size_t const bytes = input.values.size() * sizeof(float);
    if (inputMemory_ == nullptr || inputMemory_->size() < bytes)
        inputMemory_ = std::make_unique<tenon::DeviceMemory>(nullptr, bytes);
    require(inputMemory_->error());
    require(stream_.copy(inputMemory_->data(), input.values.data(), bytes));
    bool const done = context_->setInputShape(input_.c_str(), shape) &&
                      context_->setInputTensorAddress(input_.c_str(), inputMemory_->data()) &&
                      context_->enqueueV3(stream_.get());
    if (!done) throw std::runtime_error(file_ + ": the engine failed, see the log above");
    fetchOutputs();
}

void Engine::fetchOutputs() {
    for (auto& [name, buffer] : outputs_)
        buffer.fetch(stream_, bytesOf(buffer.shape(), engine_->getTensorDataType(name.c_str())));
    require(stream_.wait());
}

OutputBuffer const& Engine::output(std::string const& name) const {
    auto const found = outputs_.find(name);
    if (found != outputs_.end()) return found->second;
    std::string others;
    for (auto const& [other, buffer] : outputs_) others += (others.empty() ? "" : ", ") + other;
    throw std::runtime_error(file_ + ": has no output " + name + ", only " + others + "; build it with ocr_build");
}

} // namespace ocr
