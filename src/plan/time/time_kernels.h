// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/kernels/way_selector.h"
#include "plan/plan.h"
#include "plan/time/timer.h"

namespace tenon {

/// Times the tactics (Kernel::tactics) of the plan's kernels at the optimum of the first profile, each kind of problem
/// once, and keeps those that are fastest alone where they make the whole network faster too. Tactics that fail, or
/// take more workspace than is allowed, are left out, and so are those that a program did not select. Weights are
/// packed already.
void timeKernels(Plan& plan, BuildConfig const& config, Timer& timer, SelectedTactics const& selected = {});

/// The kernel, and which tactic of several, as the log of timing and the inspector call them: programs that change a
/// timing cache compare the two.
std::string nameOfWay(Kernel const& kernel, Variant const& variant);

} // namespace tenon
