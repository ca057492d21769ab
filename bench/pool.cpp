// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The cost of a parallel loop on the thread pool, under OpenMP, and on the calling thread alone, beside busy processes:
// bench_pool [THREADS [SECONDS]]. Loops of the same work follow each other, as the layers of a network do.
#include "base/pool.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <omp.h>
#include <sys/wait.h>
#include <vector>

namespace {

using namespace tenon;
using Clock = std::chrono::steady_clock;
using Loop = std::function<void(Chunks const&)>;

double microsecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// One item of work: arithmetic that no compiler removes, each step of which depends on the one before.
void computeItem() {
    static thread_local float volatile start = 1;
    float x = start;
    for (int i = 0; i < 100; ++i) x = x * 0.999F + 0.001F;
    start = x;
}

void compute(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) computeItem();
}

/// The shortest of many, since the machine may be busy.
double microsecondsOfItem() {
    double least = 1e9;
    for (int i = 0; i < 2000; ++i) {
        auto const start = Clock::now();
        compute(0, 20);
        least = std::min(least, microsecondsSince(start) / 20);
    }
    return least;
}

void runAlone(Chunks const& chunks) { compute(0, chunks.end(chunks.number() - 1)); }

void runOpenMp(Chunks const& chunks, int threads) {
    int64_t const count = chunks.end(chunks.number() - 1);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; ++i) compute(count * i / threads, count * (i + 1) / threads);
}

void runPool(Chunks const& chunks, int threads) {
    auto const body = [](int64_t begin, int64_t end, int) { compute(begin, end); };
    Pool::shared().run(chunks, threads, body);
}

/// Processes in an endless loop, while it lives.
class Neighbours {
public:
    explicit Neighbours(int count) {
        for (int i = 0; i < count; ++i) {
            pid_t const child = fork();
            while (child == 0) computeItem();
            children_.push_back(child);
        }
    }
    ~Neighbours() {
        for (pid_t const child : children_) kill(child, SIGKILL), waitpid(child, nullptr, 0);
    }
    Neighbours(Neighbours const&) = delete;
    Neighbours& operator=(Neighbours const&) = delete;

private:
    std::vector<pid_t> children_;
};

void measure(char const* name, double seconds, std::function<void()> const& loop) {
    for (int i = 0; i < 10; ++i) loop();
    std::vector<double> times;
    auto const start = Clock::now();
    double all = 0;
    for (auto last = start; all < seconds * 1e6; all = microsecondsSince(start)) {
        loop();
        times.push_back(microsecondsSince(last));
        last = Clock::now();
    }
    std::ranges::sort(times);
    auto const at = [&](double part) {
        return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))];
    };
    std::printf("  %-7s mean %8.2f  p50 %8.2f  p99 %9.2f  p99.9 %9.2f\n", name, all / static_cast<double>(times.size()),
                at(.5), at(.99), at(.999));
    std::fflush(stdout);
}

} // namespace

int main(int count, char** arguments) {
    int const threads = count > 1 ? std::atoi(arguments[1]) : availableCpus();
    double const seconds = count > 2 ? std::atof(arguments[2]) : 1;
    double const item = microsecondsOfItem();
    std::printf("%d threads, %d CPUs, times in microseconds\n", threads, availableCpus());
    auto const grain = static_cast<int64_t>(2.5 / item);
    for (int const neighbours : {0, 1, 2}) {
        Neighbours const busy(neighbours);
        for (int const size : {5, 20, 100, 1000}) {
            Chunks const chunks(static_cast<int64_t>(size / item), grain);
            std::printf("%d busy neighbours, loops of %d us\n", neighbours, size);
            measure("alone", seconds, [&] { runAlone(chunks); });
            measure("pool", seconds, [&] { runPool(chunks, threads); });
            measure("OpenMP", seconds, [&] { runOpenMp(chunks, threads); });
            omp_pause_resource_all(omp_pause_soft); // its threads still spin while the next one is measured
        }
    }
}
