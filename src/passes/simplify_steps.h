// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step.h"

namespace tenon {

/// Fewer steps that compute the same on `inputs` inputs (to rounding): affine functions of one another joined,
/// hard-swish, swish, mish, gelu and scaled tanh recognised in the forms that exporters write them in, what nobody
/// reads dropped. The last step stays the result.
void simplifySteps(std::vector<PointwiseStep>& steps, int inputs);

} // namespace tenon
