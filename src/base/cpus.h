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
    /// The CPUs that threads of the process may run on: those of the main thread and of the calling one together, since
    /// the application may have pinned either. Empty if the system does not report them.
    static CpuSet ofProcess();
    static CpuSet ofThisThread() { return of(0); }
    static CpuSet only(int cpu);
    CpuSet without(int cpu) const;

    int count() const;
    /// The i-th CPU of the set, counted cyclically from the first one after `start`. The set must not be empty.
    int after(int start, int i) const;
    /// Lets the calling thread run on these CPUs alone. Has no effect where the system refuses.
    void applyToThisThread() const;
    bool operator==(CpuSet const& other) const;

private:
    static CpuSet of(pid_t thread);
    bool has(int cpu) const;

    // A fixed size: one cpu_set_t holds 1024 CPUs, and the kernel refuses a set smaller than its own.
    std::array<cpu_set_t, 8> bits_{};
};

/// The number of CPUs that the process may use at once: its affinity, limited by its cgroups' quotas, rounded up; at
/// least 1. Quotas are read once.
int availableCpus();

/// A description of what limits runs on the CPU: "2 CPUs in the affinity, no cgroup quota, load 0.41". The load is the
/// system's mean number of runnable threads over a minute.
std::string describeCpus();
/// Whether the system has more runnable threads than CPUs, or a quota may throttle the process.
bool areCpusContended();
/// The number of runnable threads in "0.20 0.18 0.12 3/80 11206", the format of /proc/loadavg; nullopt for other texts.
std::optional<int> runnableIn(std::string_view loadavg);

// Parts of the above, for tests.

/// The number of CPUs that a quota allows: 2 for "200000 100000" in cgroup v2's cpu.max. nullopt for "max" and for
/// malformed text.
std::optional<double> quotaIn(std::string_view cpuMax);
/// The smallest quota of the cgroups that `root`/proc/self/cgroup names and of their ancestors, of either version,
/// found under the mount points in `root`/proc/self/mountinfo. nullopt without a quota, or if they cannot be read.
/// Throws only std::bad_alloc.
std::optional<double> cpuQuota(std::filesystem::path const& root);

} // namespace tenon
