// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"
#include "support/api_plugins.h"

#include <cstdlib>
#include <map>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Messages;

/// Returns host memory, `offset` bytes off its alignment, and records the allocations.
struct Allocator final : IGpuAllocator {
    void* allocate(uint64_t size, uint64_t alignment, AllocatorFlags) override {
        if (refuses) return nullptr;
        void* const block = std::aligned_alloc(alignment, (size + offset + alignment - 1) / alignment * alignment);
        void* const memory = static_cast<char*>(block) + offset;
        held[memory] = block;
        bytes += size;
        sizes.push_back(size);
        return memory;
    }
    bool deallocate(void* memory) override {
        if (throws) throw std::runtime_error("no more");
        auto const found = held.find(memory);
        if (found == held.end()) return false;
        std::free(found->second);
        held.erase(found);
        return true;
    }

    bool refuses = false;
    bool throws = false;
    size_t offset = 0;
    std::map<void*, void*> held;
    uint64_t bytes = 0;
    std::vector<uint64_t> sizes;
};

/// y = softmax(softmax(x)), x [4,64]: the tensor between them is the only activation.
struct UserMemory : testing::Test {
    UserMemory() {
        Defining d;
        ISoftMaxLayer* inner = d.network->addSoftMax(d.input("x", {4, 64}));
        inner->setName("inner");
        d.output(d.network->addSoftMax(*inner->getOutput(0))->getOutput(0));
        file = d.build();
        runtime->setGpuAllocator(&allocator);
        engine.reset(runtime->deserializeCudaEngine(file->data(), file->size()));
        context.reset(engine->createExecutionContext());
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
    }

    Allocator allocator;
    Messages messages;
    std::unique_ptr<IHostMemory> file;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IExecutionContext> context;
    std::vector<float> x = std::vector<float>(4 * 64, 1.F), y = x;
};

TEST_F(UserMemory, mayThrowWhenItIsGivenBack) {
    ASSERT_TRUE(context->enqueueV3(nullptr)) << messages.lastError();
    allocator.throws = true;
    context.reset();
    allocator.throws = false;
    while (!allocator.held.empty()) allocator.deallocate(allocator.held.begin()->first);
}

TEST_F(UserMemory, holdsActivationsAndIsGivenBack) {
    ASSERT_TRUE(context->enqueueV3(nullptr)) << messages.lastError();
    EXPECT_EQ(allocator.held.size(), 1U);
    EXPECT_GE(allocator.bytes, 4 * 64 * sizeof(float));
    EXPECT_FLOAT_EQ(y[0], 1 / 4.F); // the axis is 0
    context.reset();
    EXPECT_TRUE(allocator.held.empty());
}

TEST_F(UserMemory, isMissedWithASentenceAndTheContextLivesOn) {
    allocator.refuses = true;
    EXPECT_FALSE(context->enqueueV3(nullptr));
    EXPECT_TRUE(messages.lastError().starts_with(
        "enqueueV3: the application's IGpuAllocator returned no memory for a request of ")) // activations and
                                                                                            // workspaces
        << messages.lastError();
    allocator.refuses = false;
    EXPECT_TRUE(context->enqueueV3(nullptr));
}

TEST_F(UserMemory, mustBeAligned) {
    allocator.offset = 4;
    EXPECT_FALSE(context->enqueueV3(nullptr));
    EXPECT_EQ(
        messages.lastError(),
        "enqueueV3: the application's IGpuAllocator returned memory that is not aligned to 64 bytes, as requested");
    EXPECT_TRUE(allocator.held.empty());
}

TEST_F(UserMemory, ofDataDependentSizeMayBeAnotherAllocators) {
    Allocator temporary;
    EXPECT_EQ(context->getTemporaryStorageAllocator(), &allocator);
    EXPECT_TRUE(context->setTemporaryStorageAllocator(&temporary));
    EXPECT_EQ(context->getTemporaryStorageAllocator(), &temporary);
    EXPECT_TRUE(context->setTemporaryStorageAllocator(nullptr));
    EXPECT_EQ(context->getTemporaryStorageAllocator(), &allocator);
}

/// The requests to the application's allocator while an engine is loaded and a context made.
std::vector<uint64_t> askedFor(IHostMemory const& file) {
    test::Messages messages;
    Allocator allocator;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    runtime->setGpuAllocator(&allocator);
    std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(file.data(), file.size()));
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    EXPECT_NE(context, nullptr) << messages.lastError();
    EXPECT_TRUE(allocator.held.empty());
    return allocator.sizes;
}

TEST(UserMemoryForPlugins, isLentToIPluginV2) {
    test::Registered<test::TimesV2Creator> creator;
    Defining d;
    test::TimesV2 plugin(3);
    ITensor* inputs[]{&d.input("x", {2})};
    d.output(d.network->addPluginV2(inputs, 1, plugin)->getOutput(0));
    EXPECT_EQ(askedFor(*d.build()), std::vector<uint64_t>{test::kLentBytes});
}

TEST(UserMemoryForPlugins, isLentToIPluginV3) {
    test::Registered<test::KeepAboveV3Creator> creator;
    Defining d;
    test::KeepAboveV3 plugin(0.5F, true, false);
    ITensor* inputs[]{&d.input("x", {4})};
    ILayer* layer = d.network->addPluginV3(inputs, 1, nullptr, 0, plugin);
    d.output(layer->getOutput(0));
    d.output(layer->getOutput(1), "n");
    EXPECT_EQ(askedFor(*d.build()), std::vector<uint64_t>{test::kLentBytes});
}

} // namespace
} // namespace tenon
