// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention_loops_cpu.inc"

#include "backends/cpu/isa.h"

namespace tenon::cpu {

AttentionLoops const& portableAttentionLoops() { return kLoops; }

AttentionLoops const& attentionLoops() {
    switch (bestIsa()) {
#if defined(__x86_64__)
    case Isa::Avx512: return avx512AttentionLoops();
    case Isa::Avx2: return avx2AttentionLoops();
#else
    case Isa::Avx512:
    case Isa::Avx2: break;
#endif
    case Isa::Portable: break;
    }
    return kLoops;
}

} // namespace tenon::cpu
