// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <ctime>
#include <sys/resource.h>

namespace tenon {

/// The time for which the calling thread has not run, since its last restart.
class OffCpuTime {
public:
    void restart() { before_ = now(); }
    std::chrono::nanoseconds elapsed() const { return now() - before_; }

private:
    static std::chrono::nanoseconds now() { return on(CLOCK_MONOTONIC) - on(CLOCK_THREAD_CPUTIME_ID); }
    static std::chrono::nanoseconds on(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }

    std::chrono::nanoseconds before_{};
};

/// The number of times the calling thread was preempted without having slept.
inline long preemptions() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

} // namespace tenon
