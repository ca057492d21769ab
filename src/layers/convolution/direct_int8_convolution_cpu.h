// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in int8 of which each window's channels are multiplied as they are stored, last.
Kernel const& directInt8Convolution();
/// Why it does not take a node that kernels of int8 take, as a clause; empty: it does.
std::string directInt8Refusal(KernelQuery const& query);

} // namespace tenon::cpu
