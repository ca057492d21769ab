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

/// Sets the addresses of the next batch of the inputs, in memory of Backend::ioDevice(), linear and of the inputs'
/// types; it stays there until the next call. Returns false if there is none.
using NextBatch = std::function<bool(std::vector<Tensor const*> const& inputs, std::vector<void*>& addresses)>;

struct ObserveConfig {
    Device device = Device::Cpu;
    Profile profile; // runs at its optimum
    PlanSettings settings;
    std::optional<size_t> workspaceLimit;
    bool counts = true;        // false: only the largest values are wanted
    PluginResources resources; // passed to plugins in attach
    Log log;
};

/// Runs a network in float32 on all batches, and counts the values of the named tensors. Passes do not fuse the nodes
/// that compute them, so they are the tensors of the network as given. A tensor that no step of the engine computes (a
/// constant, one inside a loop, one that the host computes) is not in the results. Throws an Error if there is no
/// batch, or one that names a tensor with values that are not finite.
Histograms observe(Graph const& network, std::set<std::string> const& names, ObserveConfig const& config,
                   NextBatch const& next);

} // namespace tenon
