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

FoldLoops const& foldLoops() { return loopsFor<avx2FoldLoops, avx512FoldLoops>(bestIsa(), kLoops); }

} // namespace tenon::cpu
