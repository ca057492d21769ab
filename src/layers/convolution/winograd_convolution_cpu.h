// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in float32 with windows of 3×3 and channels in blocks, by Winograd's F(4×4, 3×3)
/// (winograd_loops_cpu.h): a quarter of the multiplications.
Kernel const& winogradConvolution();

} // namespace tenon::cpu
