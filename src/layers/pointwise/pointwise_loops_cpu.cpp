// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise_loops_cpu.inc"

namespace tenon::cpu {

PointwiseLoops const& portablePointwiseLoops() { return kLoops; }

PointwiseLoops const& pointwiseLoops(Isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case Isa::Avx512: return avx512PointwiseLoops();
    case Isa::Avx2: return avx2PointwiseLoops();
#else
    case Isa::Avx512:
    case Isa::Avx2: break;
#endif
    case Isa::Portable: break;
    }
    return portablePointwiseLoops();
}

} // namespace tenon::cpu
