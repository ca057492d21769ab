// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolution and Deconvolution of tensors that are kept in integers of 8 bits.
Kernel const& onednnInt8Convolution();

} // namespace tenon::cpu
