// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"

namespace tenon {

/// The stages of a build, in this order; saving is left to the caller.
enum class BuildStage { Optimize, ChooseKernels, PackWeights, Save };
std::span<std::string_view const> names(BuildStage);

/// Called when a stage begins; an exception stops the build.
using Entering = std::function<void(BuildStage)>;

/// A network → a plan for config.device. The network is not changed. An Error names the node that cannot be computed,
/// and the reason for every kernel.
Plan build(Graph const& network, BuildConfig const& config, Entering const& entering = {});

} // namespace tenon
