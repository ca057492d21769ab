// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn_loops_cpu.inc"

#include "backends/cpu/isa.h"

namespace tenon::cpu {

RnnLoops const& rnnLoops() { return loopsFor<avx2RnnLoops, avx512RnnLoops>(bestIsa(), kLoops); }

} // namespace tenon::cpu
