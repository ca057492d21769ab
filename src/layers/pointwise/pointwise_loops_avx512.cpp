// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "layers/pointwise/pointwise_loops_cpu.inc"

namespace tenon::cpu {

PointwiseLoops const& avx512PointwiseLoops() { return kLoops; }

} // namespace tenon::cpu

#endif
