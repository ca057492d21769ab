// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose/body_plans.h"
#include "plan/kernels/candidates.h"

#include <vector>

namespace tenon {

class WorkspaceLimit;

/// Asks the kernels (or the plugin) of every node that runs on the device and has no plans for the graphs inside of it.
/// An Error says why none of them computes it.
std::vector<Candidates> collectCandidates(Plan const& plan, BuildConfig const& config, WorkspaceLimit const& limit,
                                          BodyPlansOf const& bodies);

} // namespace tenon
