// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn_loops_cpu.inc"

#include "backends/cpu/isa.h"

namespace tenon::cpu {

RnnLoops const& rnnLoops() {
    switch (bestIsa()) {
#if defined(__x86_64__)
    case Isa::Avx512: return avx512RnnLoops();
    case Isa::Avx2: return avx2RnnLoops();
#else
    case Isa::Avx512:
    case Isa::Avx2: break;
#endif
    case Isa::Portable: break;
    }
    return kLoops;
}

} // namespace tenon::cpu
