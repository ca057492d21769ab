// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Interpolation and products in one kernel, for many 16-bit channels on Hopper GPUs.
Kernel const& fusedDeformConvolution();

} // namespace tenon::cuda
