// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/memory.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace tenon {
namespace {

TEST(DeviceMemory, ofTheCpuIsHostMemory) {
    DeviceMemory const memory("cpu", 8);
    ASSERT_EQ(memory.error(), nullptr);
    EXPECT_EQ(memory.size(), 8U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 64, 0U);
    static_cast<char*>(memory.data())[7] = 'x';
}

TEST(DeviceMemory, isRefusedWhereThereIsNoSuchDevice) {
    DeviceMemory const memory("GPU", 8);
    EXPECT_STREQ(memory.error(), "unknown device \"GPU\"; expected cpu, cuda, cuda:N, or the name of another backend, "
                                 "1 to 15 characters of a-z, 0-9 and _, and its number");
    EXPECT_EQ(memory.data(), nullptr);
}

TEST(DeviceMemory, saysHowMuchADeviceHas) {
    uint64_t bytes = 0;
    EXPECT_EQ(deviceBytes("cpu", bytes), nullptr);
    EXPECT_GT(bytes, uint64_t{1} << 27);
    EXPECT_STREQ(tenonDeviceBytes("cpu", nullptr), "bytes is null");
}

TEST(Stream, copiesAndTellsTheTimeThatPassed) {
    Stream stream("cpu");
    ASSERT_EQ(stream.error(), nullptr);
    EXPECT_EQ(stream.get(), nullptr);
    std::array<int, 2> const from{1, 2};
    std::array<int, 2> to{};
    StreamMoment before;
    StreamMoment after;
    double nanoseconds = -1;
    EXPECT_STREQ(after.since(before, nanoseconds), "a moment was never marked");
    EXPECT_EQ(stream.mark(before), nullptr);
    EXPECT_EQ(stream.copy(to.data(), from.data(), sizeof from), nullptr);
    EXPECT_EQ(stream.mark(after), nullptr);
    EXPECT_EQ(stream.wait(), nullptr);
    EXPECT_EQ(to, from);
    EXPECT_EQ(after.since(before, nanoseconds), nullptr);
    EXPECT_GE(nanoseconds, 0);
}

TEST(Stream, refusesNullAddresses) {
    Stream stream("cpu");
    int value = 0;
    EXPECT_STREQ(stream.copy(&value, nullptr, sizeof value), "an address is null");
    EXPECT_STREQ(tenonWait(nullptr), "stream is null");
}

} // namespace
} // namespace tenon
