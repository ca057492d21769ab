// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "binding.h"

#include "cpu_device.h"
#include "failure.h"

#include <gtest/gtest.h>

namespace trtexec {
namespace {

using nvinfer1::DataType;

TEST(TensorLayout, LinearIsRowMajor) {
    TensorLayout const layout{DataType::kFLOAT, {3, {2, 3, 4}}, {3, {12, 4, 1}}, -1, 1};
    EXPECT_EQ(layout.bytes(), 96U);
    EXPECT_EQ(layout.elements(), 24);
    EXPECT_EQ(layout.position(17), 17);
}

TEST(TensorLayout, VectorsOfChannelsAreFilledUp) {
    // 5 channels as two vectors of 4, each for 2x3 pixels: CHW4
    TensorLayout const layout{DataType::kHALF, {4, {1, 5, 2, 3}}, {4, {12, 6, 3, 1}}, 1, 4};
    EXPECT_EQ(layout.bytes(), 2U * 4 * 6 * 2);
    EXPECT_EQ(layout.elements(), 30);
    EXPECT_EQ(layout.position(0), 0);
    EXPECT_EQ(layout.position(6), 1);      // channel 1 of the first pixel is its neighbour
    EXPECT_EQ(layout.position(1), 4);      // the next pixel
    EXPECT_EQ(layout.position(4 * 6), 24); // channel 4 begins the second vector
    EXPECT_EQ(layout.position(29), 24 + 20);
}

TEST(TensorLayout, OfNothingHasNoBytes) {
    TensorLayout const layout{DataType::kFLOAT, {2, {0, 4}}, {2, {4, 1}}, -1, 1};
    EXPECT_EQ(layout.bytes(), 0U);
    EXPECT_EQ(layout.elements(), 0);
}

TEST(CpuDevice, HasNoMoreMemoryThanTheMachine) {
    auto const device = makeCpuDevice();
    size_t const half = device->memoryBytes() / 2;
    EXPECT_THROW(device->allocate(2 * half), Failure);
    auto first = device->allocate(half); // which stays untouched
    EXPECT_THROW(device->allocate(half + 64), Failure);
    first.reset();
    EXPECT_EQ(device->allocate(1000)->size(), 1000U);
}

TEST(CpuDevice, MemoryIsAligned) {
    for (size_t const bytes : {0, 1, 64, 100})
        EXPECT_EQ(reinterpret_cast<uintptr_t>(makeCpuDevice()->allocate(bytes)->data()) % 64, 0U);
}

TEST(OpenOutput, GrowsAndTellsItsShape) {
    auto const device = makeCpuDevice();
    OpenOutput output(*device);
    void* const first = output.reallocateOutputAsync("y", nullptr, 64, 64, nullptr);
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(output.reallocateOutputAsync("y", nullptr, 32, 64, nullptr), first);
    EXPECT_NE(output.reallocateOutputAsync("y", nullptr, 4096, 64, nullptr), nullptr);
    EXPECT_EQ(output.memory()->size(), 4096U);
    EXPECT_EQ(output.reallocateOutputAsync("y", nullptr, SIZE_MAX, 64, nullptr), nullptr); // the engine reports it
    output.notifyShape("y", nvinfer1::Dims{1, {7}});
    EXPECT_EQ(output.dims().d[0], 7);
}

} // namespace
} // namespace trtexec
