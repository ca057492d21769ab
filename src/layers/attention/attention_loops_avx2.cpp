// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "layers/attention/attention_loops_cpu.inc"

namespace tenon::cpu {

AttentionLoops const& avx2AttentionLoops() { return kLoops; }

} // namespace tenon::cpu

#endif
