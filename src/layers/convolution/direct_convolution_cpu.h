// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/convolution/blocked_convolution_cpu.h"

namespace tenon::cpu {

/// Convolutions in float32 and bfloat16, as products of what windows see with the weights.
Kernel const& directConvolution();
/// Why it does not take a node, as a clause; empty: it does.
std::string directRefusal(KernelQuery const& query);
/// Whether it multiplies bfloat16 of a node that it takes: as pairs of channels.
bool directTakesPairs(KernelQuery const& query);
/// Its executable, for weights that packBlocked() has packed.
std::unique_ptr<Executable> runDirectly(PrepareArgs const& args, HotSteps steps);

} // namespace tenon::cpu
