// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/pointwise_op.h"

namespace tenon::cpu {

/// Approximate nanoseconds of a step for one element with AVX2.
double stepCost(PointwiseOp op);

} // namespace tenon::cpu
