// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the machine is: read once, from the system.
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
// Bytes that are free now, and at most what `host().memory` leaves beside what the program allocated through us.
size_t freeMemory();

} // namespace hostcuda
