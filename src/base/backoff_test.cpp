// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <gtest/gtest.h>
#include <thread>

namespace tenon {
namespace {

using namespace std::chrono_literals;

TEST(Stalls, areWorthMoreTheSoonerTheNextOneComes) {
    Stalls stalls;
    EXPECT_EQ(stalls.backoffAfter(1ms, 1s), 4ms);
    EXPECT_EQ(stalls.backoffAfter(1ms, 1s + 10ms), 8ms);
    EXPECT_EQ(stalls.backoffAfter(2ms, 1s + 100ms), 32ms);
    EXPECT_EQ(stalls.backoffAfter(1ms, 1s + 200ms), 32ms);
    EXPECT_EQ(stalls.backoffAfter(1ms, 1s + 300ms), 64ms);
    EXPECT_EQ(stalls.backoffAfter(1ms, 1s + 400ms), 64ms); // the maximum
    EXPECT_EQ(stalls.backoffAfter(1ms, 10s), 4ms);         // long after the last one
    EXPECT_EQ(stalls.backoffAfter(500ms, 20s), 1s);        // the longest
}

TEST(ABackoff, isOnForItsTime) {
    Backoff backoff;
    EXPECT_FALSE(backoff.isOn());
    backoff.start(1h);
    EXPECT_TRUE(backoff.isOn());
    EXPECT_GT(backoff.left(), 59min);
    EXPECT_LE(backoff.left(), 1h);
    backoff.start(1ms);
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(backoff.left(), 0ns);
    EXPECT_FALSE(backoff.isOn());
}

} // namespace
} // namespace tenon
