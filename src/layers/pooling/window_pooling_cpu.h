// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// All kinds of pooling over any number of axes, window by window, on linear tensors.
Kernel const& windowPooling();

} // namespace tenon::cpu
