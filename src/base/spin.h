// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tenon {

/// Tells the core that its thread is waiting for another thread's write.
inline void pauseCore() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory"); // `yield` does nothing on most cores
#endif
}

/// A spin wait for at most `most`: while (!ready() && spin.again());
class Spin {
public:
    explicit Spin(std::chrono::nanoseconds most) : most_(most) {}

    /// Waits for a moment. Returns false immediately when `most` is over.
    bool again() {
        if (turns_ % kTurnsPerClock == 0 && isOver()) return false;
        ++turns_;
        pauseCore();
        return true;
    }

    bool isFresh() const { return turns_ == 0; }
    /// The time since the first again(), which need not have waited.
    std::chrono::nanoseconds sinceStart() const { return Clock::now() - (end_ - most_); }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr unsigned kTurnsPerClock = 32; // reading the clock takes as long as some pauses

    bool isOver() {
        Clock::time_point const now = Clock::now();
        if (turns_ == 0) end_ = now + most_;
        return now >= end_;
    }

    std::chrono::nanoseconds most_;
    Clock::time_point end_;
    unsigned turns_ = 0;
};

} // namespace tenon
