// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/convolution/convolution_shape.h"

namespace tenon::cpu {

// What kernels of convolutions in int8 share.

/// Why there is none for a node, as a clause; empty: there may be.
std::string int8Refusal(KernelQuery const& query, ConvolutionShape const& shape);
/// Variants without a cost, channels last: Y in float32, and where it may be in integers; operands beside it in its
/// order, in integers where they may be, and in float32.
std::vector<Variant> int8Variants(KernelQuery const& query);

} // namespace tenon::cpu
