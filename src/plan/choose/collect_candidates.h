// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose/body_plans.h"
#include "plan/kernels/candidates.h"

#include <vector>

namespace tenon {

class WorkspaceLimit;

/// Queries the kernels (or the plugin) of every node that runs on the device and has no plans for inner graphs. An
/// Error gives the reason if none supports it.
std::vector<Candidates> collectCandidates(Plan const& plan, BuildConfig const& config, WorkspaceLimit const& limit,
                                          BodyPlansOf const& bodies);

} // namespace tenon
