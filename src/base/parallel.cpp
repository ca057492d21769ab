// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <omp.h>
#include <optional>
#include <pthread.h>
#include <string_view>
#include <thread>

namespace tenon {
namespace {

// oneDNN uses OpenMP, which keeps the threads that it started for a thread, and waits for them. In a child of fork()
// they do not exist, so the child's one thread would wait for ever.
thread_local bool hadThreads = false;
thread_local bool lostThreads = false;

[[maybe_unused]] bool const isWatchingForks = [] {
    return pthread_atfork(nullptr, nullptr, [] {
               lostThreads = lostThreads || hadThreads;
               if (lostThreads) omp_set_num_threads(1);
           }) == 0;
}();

thread_local int threadLimit = 0; // 0: none

/// Parses a number of threads; nullopt if the text is not one.
std::optional<int> threadsIn(char const* text) {
    char* end = nullptr;
    long const threads = std::strtol(text, &end, 10);
    bool const isNumber = end != text && *end == '\0' && threads >= 1 && threads <= Pool::kMostThreads;
    return isNumber ? std::optional(static_cast<int>(threads)) : std::nullopt;
}

/// Like defaultThreads(), but for loops, which cannot report an invalid TENON_THREADS: builders and runtimes do.
int threadsNow() {
    if (threadLimit > 0) return threadLimit;
    char const* const wanted = std::getenv("TENON_THREADS");
    auto const threads = wanted ? threadsIn(wanted) : std::nullopt;
    return threads ? *threads : availableCpus();
}

} // namespace

void parallelFor(int64_t count, int64_t grain, RangeBody body) {
    Chunks const chunks(count, grain);
    if (chunks.number() == 1) return body(0, count); // without a limit, querying the number of threads is a system call
    auto const anySlot = [&](int64_t begin, int64_t end, int) { body(begin, end); };
    int const threads = threadsNow();
    Pool::shared().run(chunks, threads, anySlot);
}

void parallelForSlots(int64_t count, int64_t grain, int slots, SlotBody body) {
    Chunks const chunks(count, grain);
    if (chunks.number() == 1) return body(0, count, 0);
    Pool::shared().run(chunks, std::min(threadsNow(), slots), body);
}

int usefulSlots(int64_t count, int64_t grain) {
    int64_t const worth = Chunks(count, grain).threads();
    return worth < 2 ? 1 : static_cast<int>(std::min<int64_t>(worth, threadsNow()));
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
    // A chunk says how many tasks to run, not which: the lowest ones are run first.
    parallelFor(count, 1, [&](int64_t begin, int64_t end) {
        for (; begin < end; ++begin) {
            if (int64_t const i = next++; i < count) run(i);
        }
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
    char const* const wanted = std::getenv("TENON_THREADS");
    if (wanted == nullptr) return availableCpus();
    auto const threads = threadsIn(wanted);
    if (!threads)
        fail(ErrorCode::InvalidArgument, "TENON_THREADS is \"", std::string_view(wanted),
             "\"; expected a number from 1 to 1024");
    return *threads;
}

ThreadLimit::ThreadLimit(int threads) : before_(threadLimit), beforeOfOpenMp_(omp_get_max_threads()) {
    threadLimit = threads;
    hadThreads = hadThreads || threads > 1;
    omp_set_num_threads(lostThreads ? 1 : threads);
}
ThreadLimit::~ThreadLimit() {
    threadLimit = before_;
    omp_set_num_threads(beforeOfOpenMp_);
}

ThreadLimitOnce::~ThreadLimitOnce() {
    if (!lostThreads && !omp_in_parallel()) omp_pause_resource_all(omp_pause_soft);
}

} // namespace tenon
