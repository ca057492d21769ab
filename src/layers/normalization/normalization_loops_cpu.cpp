// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization_loops_cpu.inc"

namespace tenon::cpu {

NormalizationLoops const& normalizationLoops() {
    return loopsFor<avx2NormalizationLoops, avx512NormalizationLoops>(bestIsa(), kLoops);
}

} // namespace tenon::cpu
