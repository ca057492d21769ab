// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon {

// std::atomic::wait() is not used: libstdc++'s spins and yields before it sleeps, which the callers here have done
// already, and it has no timeout.

/// Sleeps while `word` equals `seen`, for `most` at most if given. May return early: check the condition again.
inline void futexWait(std::atomic<uint32_t>& word, uint32_t seen, timespec const* most = nullptr) {
    static_assert(sizeof word == sizeof(uint32_t));
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, most, nullptr, 0);
}

/// Wakes `count` threads that sleep on `word`. If the word is in use again for something else, its thread wakes early.
inline void futexWake(std::atomic<uint32_t>& word, int count) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

} // namespace tenon
