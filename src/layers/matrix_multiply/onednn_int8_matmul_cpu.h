// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Products of matrices that are kept in integers of 8 bits.
Kernel const& onednnInt8Matmul();

} // namespace tenon::cpu
