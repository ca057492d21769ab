// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise_loops_cpu.inc"

namespace tenon::cpu {

PointwiseLoops const& portablePointwiseLoops() { return kLoops; }

PointwiseLoops const& pointwiseLoops(Isa isa) {
    return loopsFor<avx2PointwiseLoops, avx512PointwiseLoops>(isa, kLoops);
}

} // namespace tenon::cpu
