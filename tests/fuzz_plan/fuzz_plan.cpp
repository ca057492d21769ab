// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_plan SECONDS SEED: edits plans and runs them, in a child process. A crash, a hang or a failure without a named
// error is reported with the command that reproduces it: fuzz_plan 0 SEED TRIAL [FOLDER], which runs that trial in this
// process, and keeps the plan before and after its edits.

#include "fuzzed_plans.h"
#include "trial.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Memory shared by parent and child.
struct Progress {
    std::atomic<uint64_t> trial;
    std::atomic<uint64_t> outcomes[3];
};

Progress& share() {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return *new (memory) Progress{};
}

void keep(std::string const& path, Bytes const& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// `folder`: where the plan is saved before and after the edits; null: nowhere.
Outcome runTrial(std::vector<FuzzedPlan> const& plans, uint64_t seed, uint64_t trial, char const* folder) {
    Random random(seed * 1'000'003 + trial);
    FuzzedPlan const& from = plans[random() % plans.size()];
    auto const plan = edited(from.bytes, random);
    if (folder != nullptr) keep(std::string(folder) + "/before", from.bytes);
    if (folder != nullptr) keep(std::string(folder) + "/after", plan);
    return tryPlan(plan, random);
}

[[noreturn]] void runChild(uint64_t seed, Progress& progress) {
#ifndef __SANITIZE_ADDRESS__ // which reserves terabytes
    rlimit const most{rlim_t{6} << 30, rlim_t{6} << 30};
    setrlimit(RLIMIT_AS, &most);
#endif
    auto const plans = makeFuzzedPlans();
    while (true) {
        ++progress.trial;
        try {
            ++progress.outcomes[static_cast<int>(runTrial(plans, seed, progress.trial, nullptr))];
        } catch (std::exception const& error) {
            std::fprintf(stderr, "%s\n", error.what());
            std::_Exit(3);
        }
    }
}

class Fuzzing {
public:
    Fuzzing(double seconds, uint64_t seed)
        : seed_(seed), end_(Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000))) {}

    int run() {
        std::fflush(stdout);
        while (Clock::now() < end_ && findings_ < kMostFindings) {
            pid_t const child = fork();
            if (child == 0) runChild(seed_, progress_);
            watch(child);
        }
        auto const& outcomes = progress_.outcomes;
        std::printf("%lu plans edited: %lu ran, %lu were refused, %lu were too large for here; %d findings\n",
                    progress_.trial.load(), outcomes[0].load(), outcomes[1].load(), outcomes[2].load(), findings_);
        std::printf("%d passed, %d failed\n", findings_ == 0 ? 1 : 0, findings_ == 0 ? 0 : 1);
        return findings_ == 0 ? 0 : 1;
    }

private:
    static constexpr int kMostFindings = 20;
    static constexpr auto kPatience = std::chrono::seconds(30);

    void watch(pid_t child) {
        uint64_t last = progress_.trial;
        auto since = Clock::now();
        int status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (progress_.trial != last) last = progress_.trial, since = Clock::now();
            bool const hangs = Clock::now() - since > kPatience;
            if (!hangs && Clock::now() < end_) continue;
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            if (hangs) tell("took more than 30 seconds");
            return;
        }
        tell(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended, or failed without a name");
    }

    void tell(char const* what) {
        ++findings_;
        std::printf("finding: %s; reproduce: fuzz_plan 0 %lu %lu\n", what, seed_, progress_.trial.load());
        std::fflush(stdout);
    }

    uint64_t seed_;
    Clock::time_point end_;
    Progress& progress_ = share();
    int findings_ = 0;
};

} // namespace
} // namespace tenon::test

int main(int count, char** words) {
    using namespace tenon::test;
    if (count < 3 || count > 5) {
        std::fprintf(stderr, "usage: fuzz_plan SECONDS SEED, or fuzz_plan 0 SEED TRIAL [FOLDER]\n");
        return 2;
    }
    uint64_t const seed = std::strtoull(words[2], nullptr, 10);
    if (count == 3) return Fuzzing(std::strtod(words[1], nullptr), seed).run();
    static char const* const kOutcomes[]{"ran", "was refused", "was too large"};
    auto const outcome = runTrial(makeFuzzedPlans(), seed, std::strtoull(words[3], nullptr, 10), words[4]);
    std::printf("it %s\n", kOutcomes[static_cast<int>(outcome)]);
    return 0;
}
