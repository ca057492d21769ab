// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/borrowed_body.h"

#include <cstdint>
#include <functional>

namespace tenon {

/// Runs body(begin, end) over [0, count) split into at most one contiguous range a thread, none shorter than
/// `grain` (but the last). The threads are OpenMP's, the ones that oneDNN computes with. Bodies must not throw.
void parallelFor(int64_t count, int64_t grain, RangeBody body);

/// Runs task(i) for each i in [0, count), the lowest first, each on the next thread that is free. After a task that
/// throws no other one is started; what the lowest of those that threw has thrown is thrown here.
void parallelTasks(int64_t count, std::function<void(int64_t)> const& task);

/// TENON_THREADS if it is set, else the number of CPUs that the process may use at once, by its affinity and the quotas
/// of its cgroups. An Error where TENON_THREADS is not a number from 1 to 1024.
int defaultThreads();

/// While it lives, work started from this thread (ours and oneDNN's) uses `threads` threads.
class ThreadLimit {
public:
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(ThreadLimit const&) = delete;
    ThreadLimit& operator=(ThreadLimit const&) = delete;

private:
    int before_;
};

/// The same around what is done once, such as building and loading: the threads end with it. OpenMP counts those that
/// a thread keeps for its next work, and where all together are more than cores, each sleeps as soon as it has nothing
/// to do: an engine that runs on another thread than the one that loaded it would wake them for each of its steps.
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
