// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose/body_plans.h"
#include "plan/kernels/way_selector.h"
#include "plan/time/timer.h"

namespace tenon {

/// Gives every node of plan.graph a kernel and every tensor a label, with the least estimated total time of nodes and
/// reformats at the optimum of the first profile, and puts the reformats on the edges that need one. Returns the
/// tactics that the application selected.
SelectedTactics chooseKernels(Plan& plan, BuildConfig const& config, Timer& timer, BuildInside const& build);

/// If no kernels are to be chosen (BuildConfig::choosesKernels): puts nodes with graphs inside into plan.nodes, with
/// their plans.
void rewriteBodies(Plan& plan, BuildConfig const& config, BuildInside const& build);

} // namespace tenon
