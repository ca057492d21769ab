// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"

namespace tenon {

/// What a build does, in this order; saving is the caller's.
enum class BuildStage { Optimize, ChooseKernels, PackWeights, Save };
std::span<std::string_view const> names(BuildStage);

/// Called when a stage begins; what it throws stops the build.
using Entering = std::function<void(BuildStage)>;

/// A network → a plan for config.device. The network stays as it is. An Error says which node cannot be computed, and
/// for every kernel why not.
Plan build(Graph const& network, BuildConfig const& config, Entering const& entering = {});

} // namespace tenon
