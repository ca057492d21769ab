// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/pointwise_op.h"

namespace tenon::cpu {

/// Nanoseconds that a step takes of one element with AVX2, about.
double stepCost(PointwiseOp op);

} // namespace tenon::cpu
