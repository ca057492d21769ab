// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization_loops_cpu.inc"

namespace tenon::cpu {

NormalizationLoops const& normalizationLoops() {
    switch (bestIsa()) {
#if defined(__x86_64__)
    case Isa::Avx512: return avx512NormalizationLoops();
    case Isa::Avx2: return avx2NormalizationLoops();
#else
    case Isa::Avx512:
    case Isa::Avx2: break;
#endif
    case Isa::Portable: break;
    }
    return kLoops;
}

} // namespace tenon::cpu
