// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/timer.h"

namespace tenon {

/// Runs kernels of the plan in the ways that they have (Kernel::tactics) at the optimum of the first profile, each kind
/// of problem once, and keeps what is fastest by itself where it makes the whole network faster too. What fails, or
/// takes more workspace than is allowed, is no choice. Weights are packed already.
void timeKernels(Plan& plan, BuildConfig const& config, Timer& timer);

} // namespace tenon
