// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "backends/cuda/view.h"

namespace tenon::cuda {

KernelList unsqueezeKernels() { return {Unsqueeze::kKind, viewKernels()}; }

} // namespace tenon::cuda
