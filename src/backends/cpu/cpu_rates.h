// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

namespace tenon::cpu {

enum class Maker { Amd, Intel };
/// Of this CPU. Others count as AMD.
Maker maker();

/// What one core reaches in the products that convolutions and products of matrices are made of.
struct CpuRates {
    double float32;      // operations a nanosecond: a multiplication and an addition are two
    double bfloat16;     // 0: own kernels do not multiply this type
    double int8;         // likewise
    double weightsPerNs; // bytes of weights that are read once, from beyond the core's own caches
};

/// Of this CPU, by its maker, the instruction set that may be used and AMX: from a table that bench_cpu_rates has
/// measured. A CPU that is not in it counts as another one with the same instruction set.
CpuRates const& cpuRates();

} // namespace tenon::cpu
