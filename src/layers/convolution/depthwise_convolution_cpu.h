// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in float32 of each channel by itself, with channels in blocks.
Kernel const& depthwiseConvolution();

} // namespace tenon::cpu
