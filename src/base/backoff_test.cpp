// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <gtest/gtest.h>
#include <thread>

namespace tenon {
namespace {

using namespace std::chrono_literals;

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
