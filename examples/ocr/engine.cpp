// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include "files.h"

#include <cstdlib>
#include <stdexcept>

using namespace nvinfer1;

namespace ocr {

void* OutputBuffer::reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t alignment, cudaStream_t) {
    if (memory_ == nullptr || size > capacity_) {
        uint64_t const rounded = (size / alignment + 1) * alignment; // more than nothing, as null means failure
        memory_.reset(std::aligned_alloc(alignment, rounded));
        capacity_ = memory_ == nullptr ? 0 : rounded;
    }
    return memory_.get();
}

void OutputBuffer::notifyShape(char const*, Dims const& dims) noexcept { shape_ = dims; }

Engine::Engine(IRuntime& runtime, std::filesystem::path const& file) : file_(file.string()) {
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
    // A CPU engine works on host memory and is done when enqueueV3 returns: no stream, nothing to wait for.
    bool const done = context_->setInputShape(input_.c_str(), shape) &&
                      context_->setInputTensorAddress(input_.c_str(), input.values.data()) &&
                      context_->enqueueV3(nullptr);
    if (!done) throw std::runtime_error(file_ + ": the engine failed, see above");
}

OutputBuffer const& Engine::output(std::string const& name) const {
    auto const found = outputs_.find(name);
    if (found != outputs_.end()) return found->second;
    std::string others;
    for (auto const& [other, buffer] : outputs_) others += (others.empty() ? "" : ", ") + other;
    throw std::runtime_error(file_ + ": has no output " + name + ", only " + others + "; build it with ocr_build");
}

} // namespace ocr
