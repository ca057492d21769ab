// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose/body_plans.h"
#include "plan/kernels/way_selector.h"
#include "plan/time/timer.h"

namespace tenon {

/// Gives every node of plan.graph a kernel and every tensor a label, for the least estimated time of all nodes and
/// reformats together at the optimum of the first profile, and puts the reformats on the edges that need one.
/// Returns the tactics that the program's selector left.
SelectedTactics chooseKernels(Plan& plan, BuildConfig const& config, Timer& timer, BuildInside const& build);

/// Where no kernels are to be chosen (BuildConfig::choosesKernels): puts nodes with graphs inside into plan.nodes, with
/// the plans of these.
void rewriteBodies(Plan& plan, BuildConfig const& config, BuildInside const& build);

} // namespace tenon
