// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolution and Deconvolution in every format and type in which oneDNN has a fast implementation.
Kernel const& onednnConvolution();

} // namespace tenon::cpu
