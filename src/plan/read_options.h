// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "plan/plan.h"
#include "plugin/registry.h"

#include <functional>
#include <memory>
#include <vector>

namespace tenon {

/// Creates the plugin of a node; null: the registry creates it. The node's tensors have their shapes and labels.
using PluginSource = std::function<std::unique_ptr<Plugin>(Node const& node, PluginPhase phase)>;

struct ReadOptions {
    PluginRegistry const* registry = nullptr; // null: the global one
    Device device = Device::Cpu;              // the device to run on
    Log log;
    /// Called with the plugin libraries in the plan, their checksums verified, before its plugins are created; null:
    /// they are not opened.
    std::function<void(std::vector<PluginLibrary> const&)> loadLibraries = {};
    bool rebuild = true;      // if it was built for another device, its network is built again for this one
    bool plugins = true;      // false: nodes get no plugins; such a plan can be inspected but not run
    PluginSource source = {}; // queried before the registry, for plugins that no registry creates
};

} // namespace tenon
