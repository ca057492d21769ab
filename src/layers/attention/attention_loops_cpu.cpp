// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention_loops_cpu.inc"

#include "backends/cpu/isa.h"

namespace tenon::cpu {

AttentionLoops const& portableAttentionLoops() { return kLoops; }

AttentionLoops const& attentionLoops() { return loopsFor<avx2AttentionLoops, avx512AttentionLoops>(bestIsa(), kLoops); }

} // namespace tenon::cpu
