// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace tenon {

/// A period during which an operation is not tried. Thread-safe.
class Backoff {
public:
    void start(std::chrono::nanoseconds time) { until_.store(now() + time.count(), std::memory_order_relaxed); }

    /// The remaining time; 0 if it is over. Reads the clock only until then.
    std::chrono::nanoseconds left() {
        int64_t until = until_.load(std::memory_order_relaxed);
        if (until == 0) return std::chrono::nanoseconds::zero();
        int64_t const left = until - now();
        if (left > 0) return std::chrono::nanoseconds(left);
        until_.compare_exchange_strong(until, 0, std::memory_order_relaxed); // not one that started meanwhile
        return std::chrono::nanoseconds::zero();
    }
    bool isOn() { return left() > std::chrono::nanoseconds::zero(); }

private:
    static int64_t now() {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    std::atomic<int64_t> until_{0};
};

/// Computes the backoff after a stall: a few times the length of an isolated stall, doubled each time that the next
/// stall follows soon. Thread-safe; of two simultaneous stalls one may count for both.
class Stalls {
public:
    using Duration = std::chrono::nanoseconds;
    static constexpr int kFewest = 4;
    static constexpr int kMost = 64;
    static constexpr int kSoon = 20; // multiple of the last backoff, counted from its end
    static constexpr Duration kLongest = std::chrono::seconds(1);

    /// `now`: since any epoch.
    Duration backoffAfter(Duration stall, Duration now) {
        bool const isSoon = now.count() < forgottenAt_.load(std::memory_order_relaxed);
        int const times = isSoon ? std::min(2 * times_.load(std::memory_order_relaxed), kMost) : kFewest;
        Duration const backoff = std::min(times * stall, kLongest);
        times_.store(times, std::memory_order_relaxed);
        forgottenAt_.store((now + (1 + kSoon) * backoff).count(), std::memory_order_relaxed);
        return backoff;
    }

private:
    std::atomic<int> times_{kFewest};
    std::atomic<int64_t> forgottenAt_{0};
};

} // namespace tenon
