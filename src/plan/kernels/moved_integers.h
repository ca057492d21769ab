// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// The offer of a kernel. If the node only moves or selects elements, and its tensors have one range, the same for
/// 8-bit integers: floating-point tensors stored in these are moved unchanged. Shared by all kernels of such layers,
/// which offer the types of KernelQuery::typesOf and do not know scales.
Offer offerWithIntegers(Kernel const& kernel, KernelQuery const& query);

} // namespace tenon
