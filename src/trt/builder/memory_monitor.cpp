// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/memory_monitor.h"

#include "trt/edge/edge.h"

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace tenon::trt {
namespace {

/// Bytes of memory that the process uses at present.
size_t residentBytes() {
    size_t all = 0;
    size_t resident = 0; // pages
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// The maximum so far.
size_t mostBytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

std::string inMiB(size_t bytes) { return text(bytes >> 20U, " MiB"); }

} // namespace

void MemoryMonitor::tell(std::string const& when) const noexcept {
    callToTheEnd(log_, "kMONITOR_MEMORY", [&] {
        std::string line = text("memory ", when, ": the process has ", inMiB(residentBytes()), ", at most ",
                                inMiB(mostBytes()), " so far");
        if (backend_.device() != Device::Cpu)
            line += text("; ", inMiB(backend_.freeBytes()), " of the device's ", inMiB(backend_.memoryBytes()),
                         " are free");
        say(log_, Severity::Info, line);
    });
}

} // namespace tenon::trt
