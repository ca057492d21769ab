// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/format.h"
#include "plan/settings.h"
#include "plan/shapes/profile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

class Node;
class PluginLife;
class TimingCache;
class WaySelector;
struct Plan;

/// Whether plugins and kernels with several variants or tactics are timed in each of them, to select the fastest.
struct Tuning {
    bool enabled = false;
    double seconds = 2;                 // of a build, by estimates (see Timer)
    int rounds = 4;                     // runs, of which the fastest counts
    size_t mostWays = SIZE_MAX;         // maximum per plugin or kernel
    std::shared_ptr<TimingCache> cache; // null: times are not stored
    bool cacheOnly = false;             // throws an Error if a time is missing in the cache
    bool announces = false;             // each variant is logged before it runs, so that the log shows which one hangs
    void* stream = nullptr;             // to time in; null: one of the build's own
    size_t memory = SIZE_MAX;           // bytes on the device that one variant may use while it is timed
};

/// For each node of a plan with a plugin: the network's plugin that it is a clone of.
using PluginOrigins = std::map<Node const*, PluginLife const*>;

struct BuildConfig {
    Device device = Device::Cpu;
    std::vector<Profile> profiles;
    PlanSettings settings;
    /// Labels of inputs and outputs of the network, by name; by default linear and of the tensor's own type.
    std::map<std::string, std::vector<Label>> ioLabels;
    Tuning tuning;
    bool keepNetwork = true; // the plan keeps the portable network, so that another device can rebuild it
    /// False: the network is only rewritten, with its plugins unchanged, into the network that kernels would be chosen
    /// for. plan.nodes has only nodes with graphs inside, which are rewritten too.
    bool choosesKernels = true;
    /// The network is a graph inside a layer: elements of an input that a profile does not give are known at run time
    /// only.
    bool isInside = false;
    WaySelector* selector = nullptr; // selects the variants of a node that may be used; null: all
    /// Copies the settings, for a network that is built inside another one.
    std::shared_ptr<PluginOrigins> origins = nullptr;
    Log log;
};

/// The build configuration of a plan: device, profiles and settings.
BuildConfig configOf(Plan const& plan);

} // namespace tenon
