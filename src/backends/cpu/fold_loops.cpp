// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/fold_loops.inc"

namespace tenon::cpu {

float neutralOf(Fold fold) {
    switch (fold) {
    case Fold::Prod: return kNeutral<Fold::Prod>;
    case Fold::Max: return kNeutral<Fold::Max>;
    case Fold::Min: return kNeutral<Fold::Min>;
    case Fold::Sum:
    case Fold::SumOfAbs:
    case Fold::SumOfSquares: break;
    }
    return 0;
}

FoldLoops const& portableFoldLoops() { return kLoops; }

FoldLoops const& foldLoops() {
    switch (bestIsa()) {
#if defined(__x86_64__)
    case Isa::Avx512: return avx512FoldLoops();
    case Isa::Avx2: return avx2FoldLoops();
#else
    case Isa::Avx512:
    case Isa::Avx2: break;
#endif
    case Isa::Portable: break;
    }
    return kLoops;
}

} // namespace tenon::cpu
