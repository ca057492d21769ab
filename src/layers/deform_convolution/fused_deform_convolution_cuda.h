// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Interpolation and products in one kernel, of many channels in 16 bits on Hopper's GPUs.
Kernel const& fusedDeformConvolution();

} // namespace tenon::cuda
