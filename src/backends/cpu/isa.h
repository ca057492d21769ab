// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

#include <string_view>
#include <vector>

namespace tenon::cpu {

/// Instruction sets for which Tenon's kernels are compiled; each includes those before it.
enum class Isa { Portable, Avx2, Avx512 };

/// The best one that this CPU supports and TENON_MAX_ISA (portable, avx2, avx512) allows.
Isa bestIsa();
/// All that this CPU supports: tests iterate over them.
std::vector<Isa> availableIsas();
std::string_view nameOf(Isa isa);

/// Inner loops as NAME_loops.inc defines them, compiled for one instruction set. The build compiles each such file once
/// for every instruction set of the processor (cmake/registration.cmake), with TENON_ISA naming it.
template <class Loops, Isa isa> Loops const& compiledLoops();

/// The loops for an instruction set that this CPU supports.
template <class Loops> Loops const& loopsFor([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
    if (isa == Isa::Avx512) return compiledLoops<Loops, Isa::Avx512>();
    if (isa == Isa::Avx2) return compiledLoops<Loops, Isa::Avx2>();
#endif
    return compiledLoops<Loops, Isa::Portable>();
}

/// The loops for the best instruction set that may be used.
template <class Loops> Loops const& bestLoops() { return loopsFor<Loops>(bestIsa()); }

/// Whether this CPU accumulates products of 8-bit integers in 32 bits. Older ones add pairs of them in 16 bits, which
/// overflow.
bool multipliesInt8();

/// Whether Tenon's kernels multiply bfloat16 and int8. Emulating bfloat16 takes several times longer than converting
/// it.
bool multipliesPairs();
bool multipliesQuads();

/// Whether this CPU has byte lookups in registers (AVX-512 VBMI).
bool permutesBytes();

/// Whether this CPU has AMX for int8 and bfloat16, and the system and ONEDNN_MAX_CPU_ISA allow it.
bool usesAmx();

} // namespace tenon::cpu
