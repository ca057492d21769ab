// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "backends/cuda/view.h"

namespace tenon::cuda {

KernelList squeezeKernels() { return {Squeeze::kKind, viewKernels()}; }

} // namespace tenon::cuda
