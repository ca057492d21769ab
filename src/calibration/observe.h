// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "calibration/calibration_table.h"
#include "plan/settings.h"
#include "plan/shapes/profile.h"
#include "plugin/plugin.h"

#include <functional>
#include <set>

namespace tenon {

/// Sets where the next batch of the inputs lies, in memory of Backend::ioDevice(), linear and of the inputs' types; it
/// stays there until the next call. False where there is none.
using NextBatch = std::function<bool(std::vector<Tensor const*> const& inputs, std::vector<void*>& addresses)>;

struct ObserveConfig {
    Device device = Device::Cpu;
    Profile profile; // run at its optimum
    PlanSettings settings;
    std::optional<size_t> workspaceLimit;
    bool counts = true;        // false: only the largest values are wanted
    PluginResources resources; // what plugins are attached with
    Log log;
};

/// Runs a network in float32 on all batches, and counts the values of the tensors of these names. Passes fuse nothing
/// that makes one of them, so they are those that the network speaks of; a tensor that no step of the engine computes
/// (a constant, one inside of a loop, one that the host computes) is not among the results. An Error where there is no
/// batch at all, or which names a tensor with values that are not finite.
Histograms observe(Graph const& network, std::set<std::string> const& names, ObserveConfig const& config,
                   NextBatch const& next);

} // namespace tenon
