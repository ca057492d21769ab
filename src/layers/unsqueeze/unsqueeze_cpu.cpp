// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "backends/cpu/view.h"

namespace tenon::cpu {

KernelList unsqueezeKernels() { return {Unsqueeze::kKind, viewKernels()}; }

} // namespace tenon::cpu
