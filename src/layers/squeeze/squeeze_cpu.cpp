// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "backends/cpu/view.h"

namespace tenon::cpu {

KernelList squeezeKernels() { return {Squeeze::kKind, viewKernels()}; }

} // namespace tenon::cpu
