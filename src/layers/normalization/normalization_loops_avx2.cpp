// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "layers/normalization/normalization_loops_cpu.inc"

namespace tenon::cpu {

NormalizationLoops const& avx2NormalizationLoops() { return kLoops; }

} // namespace tenon::cpu

#endif
