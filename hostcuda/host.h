// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the machine: read once, from the system.
#pragma once

#include <cstddef>
#include <string>

namespace hostcuda {

struct Host {
    std::string name; // of the processor
    size_t memory;    // bytes that this process may use
    int cores;        // that this process may use
    int clock;        // kHz
    int cache;        // bytes, of the last level
};

Host const& host();
// Free bytes, at most `host().memory` minus the application's allocations through this runtime.
size_t freeMemory();

} // namespace hostcuda
