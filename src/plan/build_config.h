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

/// Whether plugins and kernels with several variants or tactics are timed in each of them, to take the fastest.
struct Tuning {
    bool enabled = false;
    double seconds = 2;                 // of a build, by estimates (see Timer)
    int rounds = 4;                     // runs, of which the fastest counts
    size_t mostWays = SIZE_MAX;         // tried of one plugin or kernel
    std::shared_ptr<TimingCache> cache; // null: nothing is remembered
    bool cacheOnly = false;             // an Error where the cache does not know a time
    bool announces = false;             // each way is logged before it runs, so that the log shows which one hangs
    void* stream = nullptr;             // to time in; null: one of the build's own
    size_t memory = SIZE_MAX;           // bytes on the device that one way may take while it is timed
};

/// For each node of a plan with a plugin: the network's plugin that it is a clone of.
using PluginOrigins = std::map<Node const*, PluginLife const*>;

struct BuildConfig {
    Device device = Device::Cpu;
    std::vector<Profile> profiles;
    PlanSettings settings;
    /// How inputs and outputs of the network lie in memory, by name; linear and of the tensor's own type otherwise.
    std::map<std::string, std::vector<Label>> ioLabels;
    Tuning tuning;
    bool keepNetwork = true; // the portable network goes into the plan, so that another device can rebuild it
    /// False: the network is only rewritten, with its plugins as they are, into what kernels would be chosen for. Of
    /// plan.nodes there are those with graphs inside, which are rewritten too.
    bool choosesKernels = true;
    /// The network is a graph inside of a layer: a profile that does not give the elements of an input leaves them to
    /// the run.
    bool isInside = false;
    WaySelector* selector = nullptr; // says which ways of a node may be taken; null: all
    /// Takes what it clones, where a network is built for another one that it stands in.
    std::shared_ptr<PluginOrigins> origins = nullptr;
    Log log;
};

/// All that a plan knows of how it was built: device, profiles and settings.
BuildConfig configOf(Plan const& plan);

} // namespace tenon
