// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/forked.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <string_view>
#include <thread>

namespace tenon {
namespace {

// OpenMP keeps the threads that it started for a thread, and waits for them. In a child of fork() they do not exist, so
// its one thread would wait for ever.
thread_local bool hadThreads = false;
thread_local bool lostThreads = false;

[[maybe_unused]] bool const isWatchingForks = [] {
    return pthread_atfork(nullptr, nullptr, [] {
               lostThreads = lostThreads || hadThreads;
               if (lostThreads) omp_set_num_threads(1);
           }) == 0;
}();

} // namespace

void parallelFor(int64_t count, int64_t grain, RangeBody body) {
    if (count <= 0) return;
    int64_t const ranges = std::min<int64_t>(omp_get_max_threads(), (count + grain - 1) / std::max<int64_t>(grain, 1));
    if (ranges <= 1 || lostThreads || omp_in_parallel()) return body(0, count);
#pragma omp parallel for num_threads(static_cast <int>(ranges)) schedule(static, 1)
    for (int64_t i = 0; i < ranges; ++i) body(count * i / ranges, count * (i + 1) / ranges);
}

void parallelTasks(int64_t count, std::function<void(int64_t)> const& task) {
    std::atomic<int64_t> next = 0;
    std::mutex mutex;
    int64_t failed = count; // the lowest task that threw
    std::exception_ptr thrown;
    auto const run = [&](int64_t i) {
        try {
            task(i);
        } catch (...) {
            std::lock_guard const lock(mutex);
            if (i < failed) thrown = std::current_exception();
            failed = std::min(failed, i);
            next = count;
        }
    };
    parallelFor(count, 1, [&](int64_t, int64_t) {
        for (int64_t i = next++; i < count; i = next++) run(i);
    });
    if (thrown) std::rethrow_exception(thrown);
}

bool hasLostThreads() { return lostThreads; }

void onAnotherThread(std::function<void()> const& body) {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            body();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
}

int defaultThreads() {
    char const* wanted = std::getenv("TENON_THREADS");
    if (wanted == nullptr) return availableCpus();
    char* end = nullptr;
    long const threads = std::strtol(wanted, &end, 10);
    if (end == wanted || *end != '\0' || threads < 1 || threads > 1024)
        fail(ErrorCode::InvalidArgument, "TENON_THREADS is \"", std::string_view(wanted),
             "\"; give a number from 1 to 1024");
    return static_cast<int>(threads);
}

ThreadLimit::ThreadLimit(int threads) : before_(omp_get_max_threads()) {
    hadThreads = hadThreads || threads > 1;
    omp_set_num_threads(lostThreads ? 1 : threads);
}
ThreadLimit::~ThreadLimit() { omp_set_num_threads(before_); }

ThreadLimitOnce::~ThreadLimitOnce() {
    if (!lostThreads && !omp_in_parallel()) omp_pause_resource_all(omp_pause_soft);
}

} // namespace tenon
