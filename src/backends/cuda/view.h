// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

// For layers whose output is their first input under another shape, byte for byte.

/// One variant for each type and format in which that holds; other inputs stay on the host and are not read.
Offer offerView(KernelQuery const& query);
/// Copies; does nothing where both have the same address.
std::unique_ptr<Executable> makeView(PrepareArgs const& args);
/// The kernels of a layer that is always one.
std::span<Kernel const* const> viewKernels();

/// Those of a Quantize or a Dequantize whose float32 tensor is kept in these integers, in int8 (int8_labels.h).
void offerInt8Views(KernelQuery const& query, Quantum const& quantum, Offer& offer);

/// The labels of a layer that moves input 0 in this label, reads other inputs where the shapes are computed, on the
/// host, and writes the same label; the cost is that of what it moves.
Variant movingVariant(KernelQuery const& query, Label const& label);

} // namespace tenon::cuda
