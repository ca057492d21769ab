// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "allocations.h"

namespace hostcuda {
namespace {

// The text after "key ... :" in a file of such lines.
std::optional<std::string> field(char const* path, std::string const& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        size_t const colon = line.find(':');
        if (line.compare(0, key.size(), key) != 0 || colon == std::string::npos) continue;
        size_t const start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return std::nullopt;
}

std::optional<size_t> number(char const* path) {
    std::ifstream file(path);
    size_t value = 0;
    if (file >> value) return value;
    return std::nullopt;
}

size_t physicalMemory() {
    struct sysinfo info = {};
    sysinfo(&info);
    size_t const physical = size_t{info.totalram} * info.mem_unit;
    // A container's limit; "max" and a missing file are not a number.
    return std::min(physical, number("/sys/fs/cgroup/memory.max").value_or(physical));
}

size_t availableMemory() {
    if (auto const kilobytes = field("/proc/meminfo", "MemAvailable")) return std::stoull(*kilobytes) * 1024;
    struct sysinfo info = {};
    sysinfo(&info);
    return size_t{info.freeram} * info.mem_unit;
}

int usableCores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

int clock() {
    if (auto const limit = number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")) {
        return static_cast<int>(*limit);
    }
    if (auto const megahertz = field("/proc/cpuinfo", "cpu MHz")) return static_cast<int>(std::stod(*megahertz) * 1000);
    return 1000000; // no source has it
}

int cache() {
    long const bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return static_cast<int>(std::clamp(bytes, 0L, 1L << 30));
}

} // namespace

Host const& host() {
    static Host const instance{field("/proc/cpuinfo", "model name").value_or("CPU"), physicalMemory(), usableCores(),
                               clock(), cache()};
    return instance;
}

// Memory that is allocated and not yet touched still counts as available; an application that compares before and after
// expects to see its own allocations.
size_t freeMemory() {
    size_t const held = allocations().bytesHeld();
    size_t const left = host().memory > held ? host().memory - held : 0;
    return std::min(left, availableMemory());
}

} // namespace hostcuda
