// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Convolutions in int8 of which each window's channels are multiplied as they are stored, last.
Kernel const& directInt8Convolution();

} // namespace tenon::cpu
