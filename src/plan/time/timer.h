// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/time/timing_cache.h"

#include <algorithm>
#include <chrono>

namespace tenon {

/// The scope and duration of a build's measurements. Problems to be timed are selected by estimates and not by the
/// clock, so that two builds of a network time the same ones; the clock only ends problems that take many times as long
/// as estimated.
class Timer {
public:
    /// `tuning` and `log` outlive it.
    Timer(Tuning const& tuning, std::string const& device, Log const& log);

    /// A choice among several variants or tactics that must be timed.
    struct Problem {
        size_t ways = 0;
        double cost = 0;   // estimated nanoseconds of a run
        size_t places = 1; // nodes of the network that have it
    };
    /// The numbers of the problems to be timed, the largest share of the network's time first, as far as the estimated
    /// time suffices. Their time is subtracted from the rest.
    std::vector<size_t> choose(std::vector<Problem> const& problems);

    /// The nanoseconds that run(rounds) measures; nullopt, with a warning that names `what`, if it fails.
    std::optional<double> time(std::string const& what, std::function<double(int rounds)> const& run) const;
    /// So much time has passed that timing ends; an interrupted problem keeps its choice.
    bool isOver() const;

    /// The times known so far: the application's cache, else one that ends with the build.
    TimingCache& times() const { return *times_; }
    /// Throws an Error, with the text `what`, if the application allows no timing beyond the cache.
    void expectKnown(std::string const& what) const;
    struct Way {
        uint64_t tactic = 0;
        double nanoseconds = 0;
        std::string name;
    };
    /// Logs, in the form that applications parse to edit a timing cache: the name of a node, the key of its entry, the
    /// time of each variant, and the selected one.
    void tell(std::string const& name, TimingCache::Key const& key, std::vector<Way> ways, uint64_t taken) const;
    double seconds() const { return tuning_.seconds; }
    /// To time in; null: one of the build's own.
    void* stream() const { return tuning_.stream; }
    size_t memory() const { return tuning_.memory; }
    /// How many of this number of variants are to be tried.
    size_t mostOf(size_t ways) const { return std::min(ways, tuning_.mostWays); }

private:
    Tuning const& tuning_;
    Log const& log_;
    std::shared_ptr<TimingCache> times_;
    double secondsLeft_; // by estimates
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace tenon
