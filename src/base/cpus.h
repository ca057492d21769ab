// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>

namespace tenon {

/// A set of logical CPUs.
class CpuSet {
public:
    /// Those that threads of the process may run on: of the main thread and of the calling one together, since a
    /// program may have pinned either. Empty if the system does not tell.
    static CpuSet ofProcess();
    static CpuSet ofThisThread() { return of(0); }
    static CpuSet only(int cpu);
    CpuSet without(int cpu) const;

    int count() const;
    /// Number `i` of the set, counted from the first one after `start` and around. The set must not be empty.
    int after(int start, int i) const;
    /// Lets the calling thread run on these alone. What the system refuses is left as it is.
    void applyToThisThread() const;
    bool operator==(CpuSet const& other) const;

private:
    static CpuSet of(pid_t thread);
    bool has(int cpu) const;

    // Of a fixed size: one cpu_set_t holds 1024, and the kernel refuses a set smaller than its own.
    std::array<cpu_set_t, 8> bits_{};
};

/// The CPUs that the process may use at once: its affinity, and no more than its cgroups' quotas, rounded up; at
/// least 1. Quotas are read once.
int availableCpus();

/// What decides how fast runs on the CPU are, for people: "2 CPUs in the affinity, no cgroup quota, load 0.41". The
/// load is the system's mean number of threads that want to run, over a minute.
std::string describeCpus();
/// Whether more threads of the whole system want to run now than it has CPUs, or a quota may stop those of the process.
bool areCpusContended();
/// How many threads want to run, of "0.20 0.18 0.12 3/80 11206" as /proc/loadavg has it. Nothing for other texts.
std::optional<int> runnableIn(std::string_view loadavg);

// What it is made of, for tests.

/// The CPUs that a quota is worth: of "200000 100000" in cgroup v2's cpu.max, 2. Nothing for "max", and for what is no
/// quota.
std::optional<double> quotaIn(std::string_view cpuMax);
/// The smallest quota of the cgroups that `root`/proc/self/cgroup names and of those above them, of either version,
/// found under the mount points that `root`/proc/self/mountinfo names. Nothing without a quota, or if they cannot be
/// read. Throws nothing but std::bad_alloc.
std::optional<double> cpuQuota(std::filesystem::path const& root);

} // namespace tenon
