// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tenon {

/// A time during which something is not tried. For several threads.
class Backoff {
public:
    void start(std::chrono::nanoseconds time) { until_.store(now() + time.count(), std::memory_order_relaxed); }

    /// What is left of it; 0 if it is over. Reads the clock only until then.
    std::chrono::nanoseconds left() {
        int64_t until = until_.load(std::memory_order_relaxed);
        if (until == 0) return std::chrono::nanoseconds::zero();
        int64_t const left = until - now();
        if (left > 0) return std::chrono::nanoseconds(left);
        until_.compare_exchange_strong(until, 0, std::memory_order_relaxed); // not one that has been started meanwhile
        return std::chrono::nanoseconds::zero();
    }
    bool isOn() { return left() > std::chrono::nanoseconds::zero(); }

private:
    static int64_t now() {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    std::atomic<int64_t> until_{0};
};

} // namespace tenon
