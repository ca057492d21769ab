// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

TEST(HostCudaMemory, ItIsAlignedAndUsableByTheProgramItself) {
    float* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, 1000 * sizeof(float)), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
    std::iota(memory, memory + 1000, 0.0F);
    std::vector<float> copy(1000);
    EXPECT_EQ(cudaMemcpy(copy.data(), memory, 4000, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(copy[999], 999.0F);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

// On a GPU it has no host pointer; an engine on the CPU needs it.
TEST(HostCudaMemory, DeviceMemoryHasAHostPointer) {
    int* memory = nullptr;
    cudaPointerAttributes attributes = {};
    ASSERT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
    ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory + 1), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes.hostPointer, memory + 1);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(HostCudaMemory, FreeMemoryShrinksByWhatIsHeld) {
    size_t before = 0, total = 0, during = 0;
    ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
    EXPECT_LE(before, total);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, total + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(memory, nullptr);
    ASSERT_EQ(cudaMalloc(&memory, total / 4), cudaSuccess);
    ASSERT_EQ(cudaMemGetInfo(&during, &total), cudaSuccess);
    EXPECT_LE(during, total - total / 4);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST(HostCudaMemory, RowsAreCopiedToTheirPitch) {
    constexpr size_t kWidth = 5, kHeight = 3;
    char const source[] = "abcdefghijklmno";
    void* memory = nullptr;
    size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&memory, &pitch, kWidth, kHeight), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory, '.', pitch * kHeight), cudaSuccess);
    ASSERT_EQ(cudaMemcpy2D(memory, pitch, source, kWidth, kWidth, kHeight, cudaMemcpyHostToDevice), cudaSuccess);
    auto const* rows = static_cast<char const*>(memory);
    EXPECT_EQ(std::string(rows + pitch, kWidth + 1), "fghij.");
    char back[16] = {};
    ASSERT_EQ(cudaMemcpy2D(back, 4, rows + 1, pitch, 4, kHeight, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_STREQ(back, "bcdeghijlmno");
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(HostCudaMemory, BoxesAreCopiedFromAndToTheirPositions) {
    char source[2 * 3 * 4];
    std::iota(source, source + sizeof(source), '\0');
    cudaPitchedPtr target;
    ASSERT_EQ(cudaMalloc3D(&target, make_cudaExtent(8, 5, 3)), cudaSuccess);
    ASSERT_EQ(cudaMemset3D(target, 99, make_cudaExtent(8, 5, 3)), cudaSuccess);
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(source, 4, 4, 3);
    box.srcPos = make_cudaPos(1, 1, 0);
    box.dstPtr = target;
    box.dstPos = make_cudaPos(2, 3, 1);
    box.extent = make_cudaExtent(3, 2, 2);
    box.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(cudaMemcpy3DAsync(&box), cudaSuccess);
    auto const at = [&](size_t x, size_t y, size_t z) {
        return static_cast<char const*>(target.ptr)[(z * 5 + y) * target.pitch + x];
    };
    EXPECT_EQ(at(2, 3, 1), 5);  // source (1, 1, 0)
    EXPECT_EQ(at(4, 4, 2), 23); // source (3, 2, 1)
    EXPECT_EQ(at(5, 3, 1), 99);
    EXPECT_EQ(at(2, 2, 1), 99);
    box.extent.depth = 3; // beyond the end
    EXPECT_EQ(cudaMemcpy3D(&box), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(target.ptr), cudaSuccess);
}

// A GPU answers cudaErrorInvalidValue. Here it may be an engine's activations, given to a plugin.
TEST(HostCudaMemory, MemoryThatTheRuntimeDoesNotKnowIsTakenOnTheDeviceSide) {
    char source[4] = "abc", target[4] = {};
    EXPECT_EQ(cudaMemcpy(target, source, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
    EXPECT_STREQ(target, "abc");
    EXPECT_EQ(cudaMemset(target, 'x', 2), cudaSuccess);
    EXPECT_STREQ(target, "xxc");
    EXPECT_EQ(cudaMemcpy(target, source, 4, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_STREQ(target, "abc");
}

TEST(HostCudaMemory, ARangeBeyondAnyAddressIsRefused) {
    char buffer[16] = {};
    EXPECT_EQ(cudaMemcpy(buffer, buffer, SIZE_MAX, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset2D(buffer, SIZE_MAX, 0, 1, 3), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy2D(buffer, SIZE_MAX / 2, buffer, 16, 16, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST(HostCudaMemory, ManagedMemoryIsAdvisedAndPrefetched) {
    int* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, 400), cudaSuccess);
    EXPECT_EQ(cudaMemAdvise(memory, 400, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
    EXPECT_EQ(cudaMemAdvise(memory, 400, cudaMemAdviseSetPreferredLocation, 5), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 400, cudaCpuDeviceId), cudaSuccess);
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 401, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 400, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 400, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST(HostCudaMemory, WhatAProgramForgetsToUnregisterIsInNobodysWay) {
    void* const forgotten = std::aligned_alloc(256, 1 << 20);
    ASSERT_EQ(cudaHostRegister(forgotten, 1 << 20, cudaHostRegisterDefault), cudaSuccess);
    std::free(forgotten);
    void* memory[4] = {};
    for (void*& block : memory) ASSERT_EQ(cudaMallocHost(&block, 1 << 20), cudaSuccess);
    for (void* block : memory) {
        EXPECT_EQ(cudaMemset(block, 0, 1 << 20), cudaSuccess);
        EXPECT_EQ(cudaFreeHost(block), cudaSuccess);
    }
}

TEST(HostCudaMemory, ManyThreadsAllocateCopyAndFree) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int index = 0; index < 8; ++index) {
        threads.emplace_back([&wrong, index] {
            for (int round = 0; round < 200; ++round) {
                int *memory = nullptr, back = 0, value = index * 1000 + round;
                if (cudaMalloc(&memory, 64) != cudaSuccess) ++wrong;
                if (cudaMemcpyAsync(memory, &value, 4, cudaMemcpyHostToDevice) != cudaSuccess) ++wrong;
                if (cudaMemcpy(&back, memory, 4, cudaMemcpyDeviceToHost) != cudaSuccess || back != value) ++wrong;
                if (cudaFree(memory) != cudaSuccess) ++wrong;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
