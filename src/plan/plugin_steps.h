// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "plan/profile_shapes.h"

#include <map>

namespace tenon {

/// Whose clone a plugin is.
using PluginOrigins = std::map<Plugin const*, Plugin const*>;

/// Gives plan.graph clones of its own of all plugins: the network's stay as they are.
PluginOrigins clonePlugins(Plan& plan);
/// Asks each plugin which outputs are to lie in the memory of inputs. An Error where they do not fit there.
void askAliases(Plan& plan);
/// An Error where an output of a plugin (by number: the input whose memory it shares, or -1) does not fit there.
void checkAliases(Plan const& plan, Node const& node, std::vector<int64_t> const& aliases);
/// The shapes of all profiles, for the two below; none where there is no plugin.
std::vector<ProfileShapes> shapesForPlugins(Plan const& plan);
/// Tells each plugin the types and formats chosen for it and the shapes of all profiles, and takes the state that goes
/// into the plan.
void configurePlugins(Plan& plan, std::vector<ProfileShapes> const& profiles);
/// Tells a clone of each plugin that is told shapes before a run those that each profile is to be fast for: what it
/// does not take of them is found now.
void showOptimalShapes(Plan const& plan, std::vector<ProfileShapes> const& profiles);
/// Gives plugins of the network that is kept the states of the plan's clones of them: those have been configured, and
/// what has not been is not asked to save.
void keepStates(Graph& network, Plan const& plan, PluginOrigins const& origins);

/// A plugin that is initialized while this lives.
class Started {
public:
    explicit Started(Plugin& plugin) : plugin_(plugin) { plugin_.start(); }
    ~Started() { plugin_.stop(); }
    Started(Started const&) = delete;
    Started& operator=(Started const&) = delete;

private:
    Plugin& plugin_;
};

/// A plugin that is attached while this lives, to no context, but to what it would have in one.
class Attached {
public:
    Attached(Plugin& plugin, Device device, LibraryHandles const& handles);
    ~Attached() { plugin_.detach(); }
    Attached(Attached const&) = delete;
    Attached& operator=(Attached const&) = delete;

private:
    Plugin& plugin_;
};

/// What the plugin of a node is to be fast for. Extents that only the run tells are -1.
PortDescs optimalPorts(Node const& node, PortRanges const& ranges);

/// Where a plugin runs in this way; `engine` where it has neither inputs nor outputs.
Device deviceOf(Variant const& variant, Device engine);

} // namespace tenon
