// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

// For layers whose output is their first input with another shape, byte for byte.

/// One variant for each type and format for which that holds; other inputs stay on the host and are not read.
Offer offerView(KernelQuery const& query);
/// Copies; does nothing if both have the same address.
std::unique_ptr<Executable> makeView(PrepareArgs const& args);
/// The kernels of a layer whose output is always a view.
std::span<Kernel const* const> viewKernels();

/// Views of a Quantize or a Dequantize whose float32 tensor is stored as these integers, in int8 (int8_labels.h).
void offerInt8Views(KernelQuery const& query, Quantum const& quantum, Offer& offer);

} // namespace tenon::cuda
