// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "backends/cuda/view.h"

namespace tenon::cuda {

KernelList identityKernels() { return {Identity::kKind, viewKernels()}; }

} // namespace tenon::cuda
