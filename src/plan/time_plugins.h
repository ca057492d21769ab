// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/choose_kernels.h"

namespace tenon {

/// Runs each plugin that can compute in several ways in each of them, at the optimum of the first profile and on zeros,
/// and keeps the times as costs. What could not be timed, in the time there is or because it failed, is no choice any
/// more, unless nothing else is. What the cache knows is not run.
void timePlugins(Plan& plan, std::vector<Candidates>& candidates, BuildConfig const& config);

} // namespace tenon
