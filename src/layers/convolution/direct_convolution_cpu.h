// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/convolution/blocked_convolution_cpu.h"

namespace tenon::cpu {

/// Convolutions in float32 with channels in blocks, as products of what windows see with the weights.
Kernel const& directConvolution();
/// Its executable in float32, for weights that packBlocked() has packed.
std::unique_ptr<Executable> runDirectly(PrepareArgs const& args, HotSteps steps);

} // namespace tenon::cpu
