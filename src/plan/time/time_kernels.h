// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/kernels/way_selector.h"
#include "plan/plan.h"
#include "plan/time/timer.h"

namespace tenon {

/// Times the tactics (Kernel::tactics) of the plan's kernels at the optimum of the first profile, each kind of problem
/// once, and keeps those that are fastest alone if they make the whole network faster too. Tactics that fail, or need
/// more workspace than allowed, are excluded, and so are those that an application did not select. Weights are already
/// packed.
void timeKernels(Plan& plan, BuildConfig const& config, Timer& timer, SelectedTactics const& selected = {});

/// The kernel, and its tactic if there are several, as named by the timing log and the inspector: applications that
/// change a timing cache compare the two.
std::string nameOfWay(Kernel const& kernel, Variant const& variant);

} // namespace tenon
