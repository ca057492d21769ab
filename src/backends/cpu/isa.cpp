// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/isa.h"

#include "base/error.h"

#include <cstdlib>
#include <dnnl.hpp>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon::cpu {
namespace {

Isa detect() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return Isa::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::Avx2;
#endif
    return Isa::Portable;
}

Isa allowed(Isa best) {
    char const* limit = std::getenv("TENON_MAX_ISA");
    if (limit == nullptr) return best;
    for (Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        if (nameOf(isa) == limit) return std::min(isa, best);
    }
    fail(ErrorCode::InvalidArgument, "TENON_MAX_ISA is \"", std::string_view(limit),
         "\"; expected portable, avx2 or avx512");
}

/// Whether oneDNN uses all of an instruction set: newer ones include its bits.
bool dnnlHas(dnnl::cpu_isa isa) {
    auto const needed = static_cast<unsigned>(isa);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & needed) == needed;
}

/// Requests permission to use the AMX registers, for all threads of this process. Kernels without AMX support refuse.
bool mayUseTiles() {
#if defined(__x86_64__) && defined(__linux__)
    constexpr long kRequest = 0x1023; // ARCH_REQ_XCOMP_PERM, which headers before Linux 5.16 lack
    constexpr long kTiles = 18;       // XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, kRequest, kTiles) == 0;
#else
    return false;
#endif
}

} // namespace

Isa bestIsa() {
    static Isa const best = allowed(detect());
    return best;
}

std::vector<Isa> availableIsas() {
    std::vector<Isa> all;
    for (Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        if (isa <= detect()) all.push_back(isa);
    }
    return all;
}

bool multipliesInt8() {
    if (bestIsa() == Isa::Portable) return false;
    return dnnlHas(bestIsa() == Isa::Avx512 ? dnnl::cpu_isa::avx512_core_vnni : dnnl::cpu_isa::avx2_vnni);
}

bool multipliesPairs() { return bestIsa() == Isa::Avx512 && dnnlHas(dnnl::cpu_isa::avx512_core_bf16); }

bool multipliesQuads() { return bestIsa() == Isa::Avx512 && multipliesInt8(); }

bool permutesBytes() {
#if defined(__x86_64__)
    return bestIsa() == Isa::Avx512 && __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}

bool usesAmx() {
    static bool const uses = bestIsa() == Isa::Avx512 && dnnlHas(dnnl::cpu_isa::avx512_core_amx) && mayUseTiles();
    return uses;
}

std::string_view nameOf(Isa isa) {
    switch (isa) {
    case Isa::Portable: return "portable";
    case Isa::Avx2: return "avx2";
    case Isa::Avx512: return "avx512";
    }
    return "";
}

} // namespace tenon::cpu
