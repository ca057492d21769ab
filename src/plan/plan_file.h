// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"
#include "plan/plan.h"
#include "plugin/registry.h"

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

namespace tenon {

/// The first and the last version of the file format that this library reads; it writes the last. docs/plan_format.md
/// says what is in it.
inline constexpr uint32_t kOldestPlanFormat = 1;
inline constexpr uint32_t kPlanFormat = 3;

Bytes writePlan(Plan const& plan);
/// The same without the weights that may be exchanged: what is read can run after refit() has given all of them. An
/// Error where the plan has none.
Bytes writeStripped(Plan const& plan);
/// The same, but with all weights of other names.
Bytes writeWithout(Plan const& plan, std::set<std::string> const& names);

/// Makes the plugin of a node; null: the registry is to make it. The node's tensors have their shapes and labels.
using PluginSource = std::function<std::unique_ptr<Plugin>(Node const& node, PluginPhase phase)>;

struct ReadOptions {
    PluginRegistry const* registry = nullptr; // null: the global one
    Device device = Device::Cpu;              // where it is to run
    Log log;
    /// Called with the plugin libraries that the plan holds, their checksums verified, before its plugins are made;
    /// null: they are not opened.
    std::function<void(std::vector<PluginLibrary> const&)> loadLibraries = {};
    bool rebuild = true;      // where it was built for another device, its network is built again for this one
    bool plugins = true;      // false: nodes get no plugins; such a plan can be inspected but not run
    PluginSource source = {}; // asked before the registry, for plugins that no registry makes
};

/// The plan in `bytes`, which are copied as far as they are needed. An Error says what is wrong with them: not a plan,
/// another vendor's engine, newer than this library, truncated, changed, or a plugin that is not registered.
/// Weights and code for another processor or GPU are made again, and kernels that were timed there take the first of
/// their tactics; both are logged. A plan for another device is built again from its network, which takes as long as
/// building did, and is logged; an Error where the plan holds no network.
Plan readPlan(std::span<std::byte const> bytes, ReadOptions const& options = {});

/// As readPlan, from memory, 64-byte aligned, that stays as it is while `owner` lives: weights are not copied. Without
/// an owner they are.
Plan readPlan(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, ReadOptions const& options);

} // namespace tenon
