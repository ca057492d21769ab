// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

#include <string_view>
#include <vector>

namespace tenon::cpu {

/// Instruction sets for which own kernels are compiled; each includes those before it.
enum class Isa { Portable, Avx2, Avx512 };

/// The best one that this CPU has and TENON_MAX_ISA (portable, avx2, avx512) allows.
Isa bestIsa();
/// All that this CPU has: what a test runs through.
std::vector<Isa> availableIsas();
std::string_view nameOf(Isa isa);

/// The loops that were compiled for this instruction set: `avx2` and `avx512` are functions that return them, and are
/// there on x86 processors only.
template <auto avx2, auto avx512, class Loops> Loops const& loopsFor(Isa isa, Loops const& portable) {
#if defined(__x86_64__)
    if (isa == Isa::Avx512) return avx512();
    if (isa == Isa::Avx2) return avx2();
#else
    static_cast<void>(isa);
#endif
    return portable;
}

/// How many products of this floating point type take this CPU as long as one of float32; 0: it has no instructions for
/// them, and emulating takes several times longer than converting to float32.
double multiplySpeed(DataType type);

} // namespace tenon::cpu
