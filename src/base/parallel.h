// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/borrowed_body.h"

#include <cstdint>
#include <functional>

namespace tenon {

/// Calls body(begin, end) for each chunk of [0, count), on the calling thread and on others, and returns when all are
/// done. The chunks depend on count and grain alone (Chunks in chunks.h), so the results do not depend on the threads
/// that compute them. `grain` is the least work that is worth a thread; a chunk is at least a quarter of it, or all of
/// [0, count). One thread may run any number of chunks, one after the other.
///
/// A loop inside a body runs on the thread of that body alone. Thread-safe, also in a child of fork(). Allocates
/// nothing. Bodies must not throw.
void parallelFor(int64_t count, int64_t grain, RangeBody body);

/// Like parallelFor(), with body(begin, end, slot) on at most `slots` threads, for bodies that need scratch memory:
/// simultaneous calls have different slots, from 0 to `slots` - 1.
void parallelForSlots(int64_t count, int64_t grain, int slots, SlotBody body);

/// The number of slots that such a loop can use on this thread at its current limit; at least 1.
int usefulSlots(int64_t count, int64_t grain);

/// Runs task(i) for each i in [0, count), the lowest first, each on the next free thread. After a task throws, no other
/// one is started; the exception of the lowest task that threw is rethrown here.
void parallelTasks(int64_t count, std::function<void(int64_t)> const& task);

/// TENON_THREADS if it is set, else the number of CPUs that the process may use at once, by its affinity and the quotas
/// of its cgroups. Throws an Error if TENON_THREADS is not a number from 1 to 1024.
int defaultThreads();

/// While it exists, work started from this thread (Tenon's and oneDNN's) uses `threads` threads. Without one, Tenon's
/// work uses defaultThreads().
class ThreadLimit {
public:
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(ThreadLimit const&) = delete;
    ThreadLimit& operator=(ThreadLimit const&) = delete;

private:
    int before_;
    int beforeOfOpenMp_;
};

/// The same for work that is done once, such as building and loading: oneDNN's threads, which are OpenMP's, end with
/// it. OpenMP counts the threads that it keeps for later work; if there are more of them than cores, each sleeps as
/// soon as it is idle. An engine that runs on another thread than the one that loaded it would wake them for each of
/// its steps. The pool's workers, which all threads share, stay.
class ThreadLimitOnce {
public:
    explicit ThreadLimitOnce(int threads) : limit_(threads) {}
    ~ThreadLimitOnce();
    ThreadLimitOnce(ThreadLimitOnce const&) = delete;
    ThreadLimitOnce& operator=(ThreadLimitOnce const&) = delete;

private:
    ThreadLimit limit_;
};

} // namespace tenon
