// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
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

/// For how long stalls are worth a backoff: for a few times as long as one that comes alone, and twice as long each
/// time that the next one comes soon after. For several threads; where two come at the same time, one may count for
/// both.
class Stalls {
public:
    using Duration = std::chrono::nanoseconds;
    static constexpr int kFewest = 4;
    static constexpr int kMost = 64;
    static constexpr int kSoon = 20; // times as long as the last backoff, after its end
    static constexpr Duration kLongest = std::chrono::seconds(1);

    /// `now`: since any time.
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
