// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Provides the engine's device memory, and checks that all of it is returned.

#include "client.h"

#include <map>
#include <mutex>

using namespace nvinfer1;

namespace {

class Allocator final : public IGpuAllocator {
public:
    void* allocate(uint64_t size, uint64_t, AllocatorFlags) noexcept override {
        void* memory = nullptr;
        if (cudaMalloc(&memory, size) != cudaSuccess) return nullptr;
        std::lock_guard<std::mutex> const lock(mutex_);
        sizes_[memory] = size;
        most_ = size > most_ ? size : most_;
        return memory;
    }
    bool deallocate(void* memory) noexcept override {
        std::lock_guard<std::mutex> const lock(mutex_);
        return sizes_.erase(memory) == 1 && cudaFree(memory) == cudaSuccess;
    }
    size_t held() const { return sizes_.size(); }
    uint64_t most() const { return most_; }

private:
    std::mutex mutex_;
    std::map<void*, uint64_t> sizes_;
    uint64_t most_ = 0;
};

} // namespace

int main() {
    client::Logger logger;
    Allocator allocator;
    client::Definition d(logger);
    ITensor* x = d.network->addInput("x", DataType::kFLOAT, Dims4(1, 4, 64, 64));
    ISoftMaxLayer* inner = d.network->addSoftMax(*x);
    inner->setAxes(1U << 1);
    ISoftMaxLayer* outer = d.network->addSoftMax(*inner->getOutput(0));
    outer->setAxes(1U << 1);
    d.output(outer->getOutput(0), "y");
    auto const file = d.build();
    client::Owned<IRuntime> runtime(createInferRuntime(logger));
    runtime->setGpuAllocator(&allocator);
    {
        client::Owned<ICudaEngine> engine(runtime->deserializeCudaEngine(file->data(), file->size()));
        client::Owned<IExecutionContext> context(engine->createExecutionContext());
        client::Stream stream;
        client::DeviceFloats in(4 * 64 * 64), out(4 * 64 * 64);
        in.set(std::vector<float>(4 * 64 * 64, 1), stream);
        context->setTensorAddress("x", in.data());
        context->setTensorAddress("y", out.data());
        client::require(context->enqueueV3(stream), "a run");
        client::requireNear(out.get(4, stream), std::vector<float>(4, 0.25F));
        client::require(allocator.held() > 0, "memory from the allocator");
        client::require(allocator.most() >= 4 * 64 * 64 * sizeof(float), "activations from the allocator");
    }
    client::require(allocator.held() == 0, "all memory given back");
    std::puts("ok");
}
