// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in float32 with channels in blocks, as products of what windows see with the weights.
Kernel const& directConvolution();

} // namespace tenon::cpu
