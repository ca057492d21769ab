// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/borrowed_body.h"

#include <cstdint>
#include <functional>

namespace tenon {

/// Calls body(begin, end) for each chunk of [0, count), on the calling thread and on others, and returns when all are
/// done. The chunks follow from count and grain alone (Chunks in chunks.h): whoever computes them, the results are the
/// same. `grain` is the least work that is worth a thread; a chunk is at least a quarter of it, or all of [0, count).
/// One thread may run any number of chunks, one after the other.
///
/// A loop in a body runs on the thread of that body alone. Any thread may call this at any time, in a child of fork()
/// too. Nothing is allocated. Bodies must not throw.
void parallelFor(int64_t count, int64_t grain, RangeBody body);

/// The same with body(begin, end, slot) on at most `slots` threads, for bodies that need scratch memory: calls at the
/// same time have different slots, from 0 to `slots` - 1.
void parallelForSlots(int64_t count, int64_t grain, int slots, SlotBody body);

/// The slots that such a loop can use where this thread runs it with the limit that it has now; at least 1.
int usefulSlots(int64_t count, int64_t grain);

/// Runs task(i) for each i in [0, count), the lowest first, each on the next thread that is free. After a task that
/// throws no other one is started; what the lowest of those that threw has thrown is thrown here.
void parallelTasks(int64_t count, std::function<void(int64_t)> const& task);

/// TENON_THREADS if it is set, else the number of CPUs that the process may use at once, by its affinity and the quotas
/// of its cgroups. An Error where TENON_THREADS is not a number from 1 to 1024.
int defaultThreads();

/// While it lives, work started from this thread (ours and oneDNN's) uses `threads` threads. Without one, ours uses
/// defaultThreads().
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

/// The same around what is done once, such as building and loading: oneDNN's threads, which are OpenMP's, end with it.
/// OpenMP counts those that a thread keeps for its next work, and where all together are more than cores, each sleeps
/// as soon as it has nothing to do: an engine that runs on another thread than the one that loaded it would wake them
/// for each of its steps. The pool's workers, which all threads share, stay.
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
