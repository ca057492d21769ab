// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Runs each kernel of the plan in the ways that it has (Kernel::tactics) at the optimum of the first profile, and
/// keeps the fastest, within config.tuning's time. Weights are packed already.
void timeKernels(Plan& plan, BuildConfig const& config);

} // namespace tenon
