// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Adds what a kernel offers for integers of 8 bits where the node only moves or chooses elements, and its tensors have
/// one range: real numbers that are kept in integers are moved as these. In one place for all kernels, which offer
/// types by KernelQuery::typesOf and know no scales.
void offerMovedIntegers(Kernel const& kernel, KernelQuery const& query, Offer& offer);

} // namespace tenon
