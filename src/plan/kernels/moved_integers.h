// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// What a kernel offers, and where the node only moves or chooses elements, and its tensors have one range, the same
/// for integers of 8 bits: real numbers that are kept in these are moved as they lie. In one place for all kernels of
/// such layers, which offer the types of KernelQuery::typesOf and know no scales.
Offer offerWithIntegers(Kernel const& kernel, KernelQuery const& query);

} // namespace tenon
