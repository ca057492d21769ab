// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/pool.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <dirent.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace tenon {
namespace {

using namespace std::chrono_literals;

using Range = std::pair<int64_t, int64_t>;
using Ranges = std::vector<Range>;

constexpr int kThreads[]{1, 2, 3, 8};
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

/// The ranges with which the body is called, in order.
Ranges rangesOf(Pool& pool, int64_t count, int64_t grain, int threads) {
    std::mutex mutex;
    Ranges ranges;
    auto const note = [&](int64_t begin, int64_t end, int) {
        std::lock_guard const lock(mutex);
        ranges.emplace_back(begin, end);
    };
    pool.run(Chunks(count, grain), threads, note);
    std::ranges::sort(ranges);
    return ranges;
}

void expectCoverOnce(Ranges const& ranges, int64_t count) {
    int64_t next = 0;
    for (auto const& [begin, end] : ranges) {
        EXPECT_EQ(begin, next);
        EXPECT_LT(begin, end);
        next = end;
    }
    EXPECT_EQ(next, count);
}

/// Waits as long as other threads need to come and help, up to a limit.
template <class Ready> bool comesTrue(Ready const& ready) {
    auto const end = std::chrono::steady_clock::now() + 20s;
    while (!ready()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

/// Runs `threads` chunks that wait for each other: true if that many threads have come.
bool allComeTogether(Pool& pool, int threads) {
    std::atomic<int> here = 0;
    std::atomic<bool> all = true;
    auto const meet = [&](int64_t, int64_t, int) {
        ++here;
        if (!comesTrue([&] { return here == threads; })) all = false;
    };
    pool.run(Chunks(threads, 1), threads, meet);
    return all;
}

int threadsOfProcess() {
    DIR* const tasks = opendir("/proc/self/task");
    int count = 0;
    while (dirent const* const entry = readdir(tasks)) count += entry->d_name[0] == '.' ? 0 : 1;
    closedir(tasks);
    return count;
}

TEST(ChunksOf, coverEachIndexOnce) {
    Pool pool;
    for (int64_t const count : {0, 1, 2, 3, 5, 7, 63, 64, 255, 256, 257, 1000, 1023, 100'000, 999'983}) {
        for (int64_t const grain : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{4},
                                    int64_t{100}, int64_t{4096}, int64_t{999'983}, kLargest}) {
            for (int const threads : kThreads) expectCoverOnce(rangesOf(pool, count, grain, threads), count);
        }
    }
    EXPECT_EQ(rangesOf(pool, -5, 1, 2), Ranges());
    for (int64_t const grain : {int64_t{1}, int64_t{1} << 40, kLargest - 1, kLargest})
        expectCoverOnce(rangesOf(pool, kLargest, grain, 2), kLargest);
}

TEST(ChunksOf, areTheSameForAnyNumberOfThreads) {
    Pool pool;
    for (int64_t const count : {2, 7, 256, 1000, 123'457}) {
        for (int64_t const grain : {1, 3, 16, 1000}) {
            Ranges const alone = rangesOf(pool, count, grain, 1);
            for (int const threads : kThreads) EXPECT_EQ(rangesOf(pool, count, grain, threads), alone);
        }
    }
}

TEST(ChunksOf, areAQuarterOfTheGrainAndAtMost256) {
    EXPECT_EQ(Chunks(100, 100).number(), 1);
    EXPECT_EQ(Chunks(101, 100).number(), 5);
    EXPECT_EQ(Chunks(101, 100).threads(), 2);
    EXPECT_EQ(Chunks(101, 100).end(0), 25);
    EXPECT_EQ(Chunks(1000, 1).number(), 250);
    EXPECT_EQ(Chunks(1000, 1).end(0), 4);
    EXPECT_EQ(Chunks(1 << 20, 4).number(), 256);
    EXPECT_EQ(Chunks(257, 1).number(), 129);
    EXPECT_EQ(Chunks(257, 1).threads(), 129);
}

TEST(ThePool, bringsInAsManyThreadsAsAreAskedFor) {
    Pool pool;
    EXPECT_EQ(pool.workers(), 0);
    for (int const threads : {2, 8, 3}) EXPECT_TRUE(allComeTogether(pool, threads)) << threads;
    EXPECT_EQ(pool.workers(), 7);
}

TEST(ThePool, bringsInSleepingWorkers) {
    Pool pool;
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(allComeTogether(pool, 8));
        std::this_thread::sleep_for(20ms);
    }
}

TEST(ThePool, usesNoMoreThreadsThanTheLimit) {
    Pool pool;
    ASSERT_TRUE(allComeTogether(pool, 8));
    for (int i = 0; i < 200; ++i) {
        std::mutex mutex;
        std::set<std::thread::id> seen;
        std::atomic<int> now = 0;
        std::atomic<int> most = 0;
        auto const count = [&](int64_t, int64_t, int) {
            int const together = ++now;
            for (int before = most; before < together && !most.compare_exchange_weak(before, together);) {
            }
            std::unique_lock lock(mutex);
            seen.insert(std::this_thread::get_id());
            lock.unlock();
            std::this_thread::sleep_for(5us);
            --now;
        };
        pool.run(Chunks(50, 1), 3, count);
        EXPECT_LE(most, 3);
        EXPECT_LE(seen.size(), 3U);
    }
}

TEST(ThePool, givesCallsAtTheSameTimeDifferentSlots) {
    Pool pool;
    for (int i = 0; i < 500; ++i) {
        std::array<std::atomic<int>, 3> users{};
        std::atomic<bool> isShared = false;
        auto const use = [&](int64_t, int64_t, int slot) {
            auto& user = users.at(static_cast<size_t>(slot));
            if (++user != 1) isShared = true;
            std::this_thread::yield();
            --user;
        };
        pool.run(Chunks(100, 1), 3, use);
        EXPECT_FALSE(isShared);
    }
}

TEST(ThePool, runsALoopInsideABodyOnItsThread) {
    Pool pool;
    std::atomic<int> wrong = 0;
    std::atomic<int64_t> sum = 0;
    auto const outer = [&](int64_t, int64_t, int) {
        auto const thread = std::this_thread::get_id();
        auto const inner = [&](int64_t begin, int64_t end, int slot) {
            sum += end - begin;
            wrong += slot != 0 || std::this_thread::get_id() != thread ? 1 : 0;
        };
        pool.run(Chunks(1000, 1), 8, inner);
    };
    pool.run(Chunks(64, 1), 8, outer);
    EXPECT_EQ(sum, 64'000);
    EXPECT_EQ(wrong, 0);
}

/// Adds 1 to each of 300 counts, a hundred times; returns how many counts are then wrong.
int64_t countWrongly(Pool& pool, int64_t grain, int threads) {
    std::vector<int> counts(300);
    auto const count = [&](int64_t begin, int64_t end, int) {
        for (int64_t at = begin; at < end; ++at) ++counts[static_cast<size_t>(at)];
    };
    for (int i = 0; i < 100; ++i) pool.run(Chunks(300, grain), threads, count);
    return std::ranges::count_if(counts, [](int each) { return each != 100; });
}

TEST(ThePool, isSharedByManyCallers) {
    Pool pool;
    std::vector<std::thread> callers;
    std::atomic<int64_t> wrong = 0;
    for (int caller = 0; caller < 100; ++caller)
        callers.emplace_back([&, caller] { wrong += countWrongly(pool, 1 + caller % 7, 1 + caller % 4); });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(pool.workers(), std::max(availableCpus(), 4) - 1);
}

TEST(ThePool, hasWorkersForSeveralCallersIfThereAreCpus) {
    Pool pool;
    ASSERT_TRUE(allComeTogether(pool, 4)); // as on four CPUs
    std::atomic<int> here = 0;
    auto const meet = [&](int64_t, int64_t, int) {
        ++here;
        EXPECT_TRUE(comesTrue([&] { return here == 4; }));
    };
    std::thread other([&] { pool.run(Chunks(2, 1), 2, meet); });
    pool.run(Chunks(2, 1), 2, meet);
    other.join();
}

TEST(ThePool, doesNotOversubscribe) {
    Pool pool;
    ASSERT_TRUE(allComeTogether(pool, 3));
    std::atomic<int> callersHere = 0;
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    auto const call = [&] {
        std::array<int, 3> chunks{}; // chunks that a slot has started when all callers were present
        bool isFirst = true;
        auto const count = [&](int64_t, int64_t, int slot) {
            int& begun = chunks.at(static_cast<size_t>(slot));
            begun += callersHere == 3 ? 1 : 0;
            if (slot == 0 && std::exchange(isFirst, false)) ++callersHere;
            EXPECT_TRUE(comesTrue([&] { return callersHere == 3; }));
            // the last caller may come just after a worker has decided to take another chunk: that chunk does not count
            int const together = begun < 2 ? 0 : ++now;
            for (int before = most; before < together && !most.compare_exchange_weak(before, together);) {
            }
            std::this_thread::sleep_for(100us);
            now -= begun < 2 ? 0 : 1;
        };
        pool.run(Chunks(250, 1), 3, count);
    };
    std::thread callers[]{std::thread(call), std::thread(call), std::thread(call)};
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(most, 3);
}

TEST(ThePool, computesInTheFloatModeOfTheCaller) {
    Pool pool;
    ASSERT_TRUE(allComeTogether(pool, 3));
    std::fesetround(FE_UPWARD);
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 100; ++i) {
        auto const check = [&](int64_t, int64_t, int) {
            float volatile const one = 1;
            float volatile const tiny = 1e-10F;
            wrong += one + tiny > 1 ? 0 : 1;
            std::this_thread::yield();
        };
        pool.run(Chunks(30, 1), 3, check);
    }
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(wrong, 0);
}

TEST(ThePool, endsItsWorkers) {
    int const before = threadsOfProcess();
    for (int i = 0; i < 20; ++i) {
        Pool pool;
        EXPECT_TRUE(allComeTogether(pool, 4));
    }
    EXPECT_TRUE(comesTrue([&] { return threadsOfProcess() == before; }));
}

TEST(ThePool, computesOnTheCallerWhenItHasEnded) {
    Pool pool;
    ASSERT_TRUE(allComeTogether(pool, 4));
    pool.end();
    pool.end();
    expectCoverOnce(rangesOf(pool, 1000, 1, 4), 1000);
    EXPECT_EQ(pool.workers(), 0);
}

TEST(ThePool, keepsSignalsOfTheProgramAway) {
    Pool pool;
    std::atomic<int> open = 0;
    auto const check = [&](int64_t, int64_t, int slot) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        if (slot != 0 && (sigismember(&blocked, SIGTERM) != 1 || sigismember(&blocked, SIGSEGV) != 0)) ++open;
        std::this_thread::yield();
    };
    ASSERT_TRUE(allComeTogether(pool, 3));
    for (int i = 0; i < 100; ++i) pool.run(Chunks(30, 1), 3, check);
    EXPECT_EQ(open, 0);
}

/// The exit status of a child of fork(), if it ends soon.
int statusOf(pid_t child) {
    int status = -1;
    bool const hasEnded = comesTrue([&] { return waitpid(child, &status, WNOHANG) == child; });
    if (!hasEnded) kill(child, SIGKILL), waitpid(child, &status, 0);
    return hasEnded && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kForks = false;
#else
constexpr bool kForks = true;
#endif

TEST(ThePool, startsWorkersOfItsOwnInAChild) {
    if (!kForks) GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of fork()";
    Pool& pool = Pool::shared();
    ASSERT_TRUE(allComeTogether(pool, 4));
    std::atomic<bool> mayGo = false;
    std::thread other([&] { // which computes meanwhile, and owns nothing that a child would lose
        std::atomic<int64_t> sum = 0;
        auto const add = [&](int64_t begin, int64_t end, int) { sum += end - begin; };
        while (!mayGo) pool.run(Chunks(1000, 1), 4, add);
    });
    for (int i = 0; i < 20; ++i) {
        pid_t const child = fork();
        if (child == 0) {
            bool const isFresh = pool.workers() == 0;
            bool const works = allComeTogether(pool, 4) && allComeTogether(pool, 2);
            std::exit(isFresh && works ? 42 : 1); // with the destructors of static objects
        }
        EXPECT_EQ(statusOf(child), 42);
    }
    mayGo = true;
    other.join();
    EXPECT_TRUE(allComeTogether(pool, 4));
}

TEST(ThePool, lastsInAChildThatIsMadeInABody) {
    if (!kForks) GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of fork()";
    Pool& pool = Pool::shared();
    std::atomic<pid_t> child = -1;
    auto const body = [&](int64_t begin, int64_t, int slot) {
        if (slot == 0 && child < 0 && begin >= 0) child = fork();
        std::this_thread::yield();
    };
    pid_t const parent = getpid();
    pool.run(Chunks(64, 1), 3, body);
    if (getpid() != parent) _exit(rangesOf(pool, 1000, 1, 3).size() == 250 ? 42 : 1);
    EXPECT_EQ(statusOf(child), 42);
}

TEST(ThePool, doesNotHangAtExit) {
    if (!kForks) GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of fork()";
    pid_t const child = fork();
    if (child == 0) {
        auto const endless = [](int64_t, int64_t, int) {
            while (true) std::this_thread::sleep_for(1s);
        };
        std::thread([&] { Pool::shared().run(Chunks(4, 1), 4, endless); }).detach();
        std::this_thread::sleep_for(50ms);
        std::exit(42);
    }
    EXPECT_EQ(statusOf(child), 42);
}

TEST(ThePool, exitsInABody) {
    if (!kForks) GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of fork()";
    pid_t const child = fork();
    if (child == 0) {
        auto const leave = [](int64_t, int64_t, int slot) {
            if (slot == 1) std::exit(42);
            std::this_thread::sleep_for(1ms);
        };
        while (true) Pool::shared().run(Chunks(40, 1), 2, leave);
    }
    EXPECT_EQ(statusOf(child), 42);
}

TEST(ThePool, pinsItsWorkersIfItIsToldSo) {
    CpuSet const all = CpuSet::ofProcess();
    auto const countOfWorker = [](Pool& pool) {
        std::atomic<int> count = 0;
        auto const note = [&](int64_t, int64_t, int slot) {
            if (slot == 1) count = CpuSet::ofThisThread().count();
        };
        EXPECT_TRUE(comesTrue([&] { return pool.run(Chunks(40, 1), 2, note), count != 0; }));
        return count.load();
    };
    setenv("TENON_PIN_THREADS", "1", 1);
    Pool pinned;
    EXPECT_EQ(countOfWorker(pinned), 1);
    unsetenv("TENON_PIN_THREADS");
    Pool loose;
    std::thread([&] { // pins itself, as servers do with their threads
        CpuSet::only(all.after(0, 0)).applyToThisThread();
        EXPECT_EQ(countOfWorker(loose), all.count());
    })
        .join();
}

} // namespace
} // namespace tenon
