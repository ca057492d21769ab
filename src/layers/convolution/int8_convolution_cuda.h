// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// X int8 with a scale, channels last → Y in int8 with a scale or in a type that the output may have. Weights are
/// constant and quantized when they are packed, each output channel by its largest: one convolution of integers, summed
/// in int32; bias and epilogue follow in float32.
Kernel const& int8Convolution();

} // namespace tenon::cuda
