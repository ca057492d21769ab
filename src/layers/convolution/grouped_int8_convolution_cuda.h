// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Convolutions of int8 in groups, which cuDNN has none for: one channel a group, or whole words of them, on both
/// sides. X int8 with a scale and any zero point, channels last → Y in such int8 or in a type that the output may have.
/// Padding is read as the zero point.
Kernel const& groupedInt8Convolution();

} // namespace tenon::cuda
