// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

namespace tenon::cpu {

enum class Maker { Amd, Intel };
/// The maker of this CPU. Others count as AMD.
Maker maker();

/// The speed that one core reaches in the products of convolutions and matrix products.
struct CpuRates {
    double float32;      // operations a nanosecond; a multiply-add counts as two
    double bfloat16;     // 0: Tenon's kernels do not multiply this type
    double int8;         // likewise
    double weightsPerNs; // bytes of weights that are read once, from outside the core's own caches
};

/// The rates of this CPU, by its maker, the allowed instruction set and AMX: from a table measured by bench_cpu_rates.
/// A CPU that is not in the table gets the rates of another one with the same instruction set.
CpuRates const& cpuRates();

} // namespace tenon::cpu
