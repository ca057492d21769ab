// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "backends/cpu/fold_loops.inc"

namespace tenon::cpu {

FoldLoops const& avx2FoldLoops() { return kLoops; }

} // namespace tenon::cpu

#endif
