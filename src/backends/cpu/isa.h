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

/// Inner loops as NAME_loops.inc defines them, compiled for one instruction set. The build compiles each such file once
/// for every instruction set of the processor (cmake/registration.cmake), with TENON_ISA naming it.
template <class Loops, Isa isa> Loops const& compiledLoops();

/// Those for an instruction set that this CPU has.
template <class Loops> Loops const& loopsFor([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
    if (isa == Isa::Avx512) return compiledLoops<Loops, Isa::Avx512>();
    if (isa == Isa::Avx2) return compiledLoops<Loops, Isa::Avx2>();
#endif
    return compiledLoops<Loops, Isa::Portable>();
}

/// Those of the best instruction set that may be used.
template <class Loops> Loops const& bestLoops() { return loopsFor<Loops>(bestIsa()); }

/// Whether this CPU sums products of integers of 8 bits in 32 bits. Older ones sum pairs of them in 16, which overflow.
bool multipliesInt8();

/// Whether own kernels multiply bfloat16, and int8. To emulate bfloat16 takes several times longer than to convert it.
bool multipliesPairs();
bool multipliesQuads();

/// Whether this CPU looks bytes up in registers (AVX-512 VBMI).
bool permutesBytes();

/// Whether this CPU multiplies tiles of int8 and bfloat16 by AMX, and the system and ONEDNN_MAX_CPU_ISA allow it.
bool usesAmx();

} // namespace tenon::cpu
