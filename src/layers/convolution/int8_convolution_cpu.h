// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/convolution/convolution_shape.h"

namespace tenon::cpu {

// What kernels of convolutions in int8 share.

/// Why there is none for a node, as a clause; empty: there may be.
std::string int8Refusal(KernelQuery const& query, ConvolutionShape const& shape);
/// How Y may be stored: in float32, and where it may be in integers. Channels are last.
std::vector<Label> int8Outputs(KernelQuery const& query);
/// A variant whose operands beside Y are in its order: in integers where they may be and are wanted, else in float32.
Variant int8Variant(KernelQuery const& query, Label const& y, bool integerOperands);

} // namespace tenon::cpu
