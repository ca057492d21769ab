// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/time/timer.h"

#include "base/error.h"

#include <cmath>
#include <numeric>

namespace tenon {
namespace {

/// The time to prepare one variant and to run it: an estimate, so that clocks do not affect decisions.
double secondsFor(Timer::Problem const& problem, int rounds) {
    constexpr double kReady = 0.01;
    constexpr double kRunsOfRound = 10;
    constexpr double kNanosecond = 1e-9;
    double const run = problem.cost * kNanosecond;
    return static_cast<double>(problem.ways) * (kReady + (1 + rounds * kRunsOfRound) * run);
}

std::string hexOf(uint64_t number, size_t digits = 1) {
    std::string all;
    for (; number != 0; number /= 16) all.insert(all.begin(), "0123456789abcdef"[number % 16]);
    return std::string(std::max(digits, all.size()) - all.size(), '0') + all;
}

} // namespace

Timer::Timer(Tuning const& tuning, std::string const& device, Log const& log)
    : tuning_(tuning), log_(log), times_(tuning.cache ? tuning.cache : std::make_shared<TimingCache>(device)),
      secondsLeft_(tuning.seconds) {}

std::vector<size_t> Timer::choose(std::vector<Problem> const& problems) {
    std::vector<size_t> order(problems.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater{},
                             [&](size_t i) { return problems[i].cost * static_cast<double>(problems[i].places); });
    std::erase_if(order, [&](size_t i) {
        double const seconds = secondsFor(problems[i], tuning_.rounds);
        if (!(seconds <= secondsLeft_)) return true;
        secondsLeft_ -= seconds;
        return false;
    });
    return order;
}

std::optional<double> Timer::time(std::string const& what, std::function<double(int rounds)> const& run) const {
    if (tuning_.announces) say(log_, Severity::Info, text(what, ": is timed"));
    try {
        double const nanoseconds = run(tuning_.rounds);
        if (std::isfinite(nanoseconds)) return nanoseconds;
        fail(ErrorCode::Internal, "it took ", nanoseconds, " ns");
    } catch (Error const& error) {
        say(log_, Severity::Warning, text(what, " is excluded, since it failed during timing: ", error.what()));
        return std::nullopt;
    }
}

void Timer::tell(std::string const& name, TimingCache::Key const& key, std::vector<Way> ways, uint64_t taken) const {
    constexpr double kMillisecond = 1e6;
    std::ranges::stable_sort(ways, {}, &Way::nanoseconds);
    std::string digits;
    for (uint8_t const byte : key) digits += hexOf(byte, 2);
    say(log_, Severity::Verbose, text("Autotuning op ", name, "(key: 0x", digits, "):"));
    say(log_, Severity::Verbose, "tactic_id, cost(in ms), cost/fastest_cost, measured, kernel_name, tactic_hash");
    for (size_t i = 0; i < ways.size(); ++i)
        say(log_, Severity::Verbose,
            text(i, ", ", ways[i].nanoseconds / kMillisecond, ", ", ways[i].nanoseconds / ways.front().nanoseconds,
                 ", 1, ", ways[i].name, ", 0x", hexOf(ways[i].tactic), ','));
    auto const chosen = std::ranges::find(ways, taken, &Way::tactic);
    if (chosen != ways.end())
        say(log_, Severity::Verbose,
            text("The selected tactic is (tactic hash, cost(in ms)):0x", hexOf(taken), ", ",
                 chosen->nanoseconds / kMillisecond));
}

bool Timer::isOver() const {
    constexpr double kPatience = 10;
    std::chrono::duration<double> const since = std::chrono::steady_clock::now() - start_;
    return since.count() > kPatience * tuning_.seconds;
}

void Timer::expectKnown(std::string const& what) const {
    if (tuning_.cacheOnly) fail(ErrorCode::InvalidState, what, " (BuilderFlag::kERROR_ON_TIMING_CACHE_MISS)");
}

} // namespace tenon
