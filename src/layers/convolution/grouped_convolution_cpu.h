// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in float32 and bfloat16 of each channel, or of groups of few channels, by itself.
Kernel const& groupedConvolution();
/// Why it does not take a node, as a clause; empty: it does.
std::string groupedRefusal(KernelQuery const& query);

} // namespace tenon::cpu
