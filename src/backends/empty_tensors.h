// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

// Handles tensors without elements for all kernels and devices: kernels are not queried about an extent of 0, do not
// divide by one, and do not pass it to a library or a launch, unless they declare takesEmpty().

/// Whether one of the tensors has no elements.
bool anyEmpty(std::span<Dims const> tensors);

/// The kernel's offer; a refusal for shapes that it must not get.
Offer offerOf(Kernel const& kernel, KernelQuery const& query);

/// The prepared kernel. If all outputs are empty, nothing is run; if another tensor is empty, the layer's reference
/// computes the outputs on the host: only once if all nonempty inputs are constant, so that a run only copies.
std::unique_ptr<Executable> prepared(Kernel const& kernel, PrepareArgs const& args);

} // namespace tenon
