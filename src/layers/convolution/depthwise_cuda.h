// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// Convolutions of each channel by itself, channels last.
Kernel const& depthwiseConvolution();

} // namespace tenon::cuda
