// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

// Tensors without elements, in one place for all kernels and devices: none is asked about an extent of 0, divides by
// one, or hands it to a library or a launch, but for those that say takesEmpty().

/// Whether one of the tensors has no elements.
bool anyEmpty(std::span<Dims const> tensors);

/// What the kernel offers; a refusal at shapes that it is not to see.
Offer offerOf(Kernel const& kernel, KernelQuery const& query);

/// The kernel made ready. Where all outputs are empty nothing is run; where something else is, the layer's reference
/// computes the outputs on the host: once, if what has elements is constant, so that a run only copies.
std::unique_ptr<Executable> prepared(Kernel const& kernel, PrepareArgs const& args);

} // namespace tenon
