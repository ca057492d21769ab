// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// X int8 with a scale and any zero point, channels last → Y in such int8 or in a type that the output may have.
/// Weights are constant and quantized when they are packed, each output channel by its largest: one convolution of
/// integers, summed in int32; bias and epilogue follow in float32. What X's zero point adds to the sums is constant for
/// a channel as long as padding has the value 0 too, so it goes into the bias, and X is copied with its padding before.
Kernel const& int8Convolution();

} // namespace tenon::cuda
