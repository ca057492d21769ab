// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "layers/rnn/rnn_loops_cpu.inc"

namespace tenon::cpu {

RnnLoops const& avx2RnnLoops() { return kLoops; }

} // namespace tenon::cpu

#endif
