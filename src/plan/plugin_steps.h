// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/profile_shapes.h"
#include "plugin/plugin_life.h"

#include <map>

namespace tenon {

/// The network's own plugins, by the nodes of the plan that have clones of them.
using PluginOrigins = std::map<Node const*, PluginLife const*>;

/// Gives plan.graph clones of its own of all plugins: the network's stay as they are.
PluginOrigins clonePlugins(Plan& plan);
/// Asks each plugin which outputs are to lie in the memory of inputs. An Error where they do not fit there.
void askAliases(Plan& plan);
/// An Error where an output of a plugin (by number: the input whose memory it shares, or -1) does not fit there.
void checkAliases(Plan const& plan, Node const& node, std::vector<int64_t> const& aliases);
/// The network that is kept gets the plan's plugins: those are configured and started, and others are not asked to
/// save. Nodes of the network that nobody reads and the plan has no plugin for are removed.
void sharePlugins(Graph& network, Plan const& plan, PluginOrigins const& origins);

/// What plugins saved.
using PluginStates = std::map<PluginLife const*, PluginState>;
/// The graph with what its plugins save. Those that came from a file keep what is there; others are asked once.
Graph withStates(Graph graph, PluginStates& known);

} // namespace tenon
