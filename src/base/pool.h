// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/backoff.h"
#include "base/cpus.h"
#include "base/job.h"

#include <mutex>
#include <pthread.h>

namespace tenon {

/// Threads that help with the loops of others. Any thread may run a loop; it computes from the first chunk to the last,
/// and each awake worker takes chunks too. Only chunks that a worker has started are waited for, so a loop is seldom
/// slower than on its caller alone when other processes keep the workers from running.
///
/// If there are more runnable threads than CPUs, helpers cost more than they gain: one that is descheduled with a chunk
/// keeps the caller waiting for a time slice, and one that wakes on the caller's CPU preempts it. After either, loops
/// run on their callers alone for a multiple of the lost time.
///
/// Simultaneous loops share the workers: together no more threads compute than there are CPUs, or than the largest
/// number that a loop was given. Workers start when they are first needed, spin for some tens of microseconds after a
/// loop and then sleep. A child of fork() starts workers of its own.
///
/// TENON_PIN_THREADS=1 in the environment pins each worker to a CPU of its own, starting after that of the first
/// caller. Callers are the application's threads, whose affinity is not changed.
class Pool {
public:
    static constexpr int kMostThreads = 1024;

    Pool() = default;
    ~Pool() { end(); }
    Pool(Pool const&) = delete;
    Pool& operator=(Pool const&) = delete;

    /// The process's pool. Its workers end when the library is unloaded or the process exits; later loops run on their
    /// callers.
    static Pool& shared();

    /// Calls body(begin, end, slot) once for each chunk, on the calling thread and at most `threads` - 1 workers, and
    /// returns when all are done. Simultaneous calls have different slots in [0, threads): for scratch memory. Workers
    /// use the caller's rounding and denormal modes. A loop inside a body runs on that thread alone, in slot 0.
    /// Allocates nothing but the stacks of new workers. `body` must not throw.
    void run(Chunks const& chunks, int threads, SlotBody body);

    int workers() const { return started_.load(std::memory_order_acquire); }

    /// Lets the workers finish their chunks and end. Waits for at most a second: bodies may wait for something unknown.
    void end();

private:
    static constexpr int kJobs = 64; // simultaneous loops with helpers; further ones run on their callers

    struct Worker {
        Pool* pool;
        pthread_t thread;
        int number;
    };

    Job* takeJob();
    void runJob(Job& job, Chunks const& chunks, int helpers, SlotBody body) noexcept;
    static void runAlone(Chunks const& chunks, SlotBody body);
    uint64_t bitOf(Job const& job) const { return uint64_t{1} << (&job - jobs_.data()); }

    int callers() const;
    int capacity() const { return capacity_.load(std::memory_order_relaxed); }
    bool hasRoom() const;
    bool takesRoom();
    bool makesRoom();

    void live(int number) noexcept;
    void place(int number) const;
    bool help(int number);
    bool helpWithAny(uint64_t jobs, int number);
    bool helpWith(Job& job, int number);
    int freeSeats() const;
    bool isInTheWay(Job const& job);
    static void stepAside(int cpu);
    void sleep();
    void wake(int count);
    bool spins() const { return spins_.load(std::memory_order_relaxed); }

    void start(int helpers);
    bool startOne();
    static void* liveOn(void* worker);
    bool waitForAll();

    static void holdForFork();
    static void afterFork();
    static void afterForkInChild();
    void forget();

    alignas(64) std::atomic<uint64_t> open_{0}; ///< a bit for each job that may have chunks to take
    alignas(64) std::atomic<int> helping_{0};   ///< workers that are in a job
    std::atomic<int> sleeping_{0};              ///< workers that sleep, or are about to
    Backoff backoff_;                           ///< from using helpers, while the machine is contended
    Stalls stalls_;                             ///< by helpers that did not run
    std::atomic<uint32_t> bell_{0};             ///< workers sleep on it
    alignas(64) std::atomic<int> started_{0};
    std::atomic<int> capacity_{0}; ///< the most threads that compute at the same time
    std::atomic<uint32_t> living_{0};
    std::atomic<bool> isEnding_ = false;
    std::atomic<bool> cannotStart_ = false;
    std::atomic<bool> spins_ = false; ///< there are CPUs for all threads: spinning delays none of them

    std::mutex starting_; // guards the members below until the workers start
    CpuSet cpus_;
    int firstCpu_ = 0;
    bool pins_ = false;
    std::array<Worker, kMostThreads> all_{};
    std::array<Job, kJobs> jobs_;
};

} // namespace tenon
