// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"
#include "plugin/plugin_life.h"

#include <map>

namespace tenon {

/// Replaces the plugins among these nodes of a plan by clones, so that the network's are not changed.
void clonePlugins(std::vector<Node*> const& nodes, Device device, PluginOrigins& origins);
/// Queries each plugin for outputs that are aliases of inputs. An Error if their sizes or types differ.
void askAliases(Plan& plan);
/// Throws an Error if an output cannot share its input's memory. `aliases`: for each output the input, or -1.
void checkAliases(Plan const& plan, Node const& node, std::vector<int64_t> const& aliases);
/// A network that the plan keeps gets the plan's plugins, since only configured and started plugins are serialized. Its
/// nodes without readers for which the plan has no plugin are removed.
void sharePlugins(Graph& network, Plan const& plan, PluginOrigins const& origins);
/// The same for the graphs inside the plan's own layers.
void sharePluginsInside(Plan& plan, PluginOrigins const& origins);

/// The data that plugins saved.
using PluginStates = std::map<PluginLife const*, PluginState>;
/// The graph with the states of its plugins. Those read from a file keep their state; others are serialized, once.
Graph withStates(Graph graph, PluginStates& known);

} // namespace tenon
