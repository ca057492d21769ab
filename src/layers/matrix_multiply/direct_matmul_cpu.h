// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cpu {

/// Products in float32 of the rows of one operand with one constant matrix.
Kernel const& directMatmul();
/// Why it does not take a node, as a clause; empty: it does.
std::string directMatmulRefusal(KernelQuery const& query);
/// Whether it multiplies bfloat16 of a node that it takes: as pairs of columns of A.
bool directMatmulTakesPairs(KernelQuery const& query);

} // namespace tenon::cpu
