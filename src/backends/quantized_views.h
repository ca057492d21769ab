// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Variants of a Quantize or a Dequantize that do nothing: its float32 tensor is stored as the same integers. One for
/// each format.
void offerViews(KernelQuery const& query, Quantum const& quantum, std::span<Format const> formats, Device device,
                Offer& offer);

} // namespace tenon
