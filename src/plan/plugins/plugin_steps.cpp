// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugins/plugin_steps.h"

#include "base/error.h"
#include "graph/body.h"
#include "passes/remove_dead.h"
#include "plan/shapes/profile_shapes.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

/// An output and an input that share memory have the same size and type at every shape.
void checkAlias(Plan const& plan, Node const& node, size_t output, int64_t input) {
    auto const count = static_cast<int64_t>(node.inputs().size());
    if (input >= count || node.input(static_cast<int>(input)) == nullptr)
        fail(ErrorCode::Plugin, "output ", output, " is an alias of input ", input, "; the plugin has ", count,
             " inputs");
    Tensor const& from = *node.input(static_cast<int>(input));
    Tensor const& to = *node.output(static_cast<int>(output));
    if (from.onHost)
        fail(ErrorCode::Plugin, "output ", output, " is an alias of input ", input, ", which is a shape tensor");
    bool same = from.type == to.type;
    for (Profile const& profile : plan.profiles) {
        ProfileShapes const shapes(plan.graph, profile);
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max})
            same = same && shapes.dimsOf(node.inputs(), point)[static_cast<size_t>(input)] ==
                               shapes.dimsOf(node.outputs(), point)[output];
    }
    if (!same)
        fail(ErrorCode::Plugin, "output ", output, " is ", to.type, ' ', to.shape, " and is an alias of input ", input,
             ", which is ", from.type, ' ', from.shape, "; expected the same type and shape");
}

} // namespace

void checkAliases(Plan const& plan, Node const& node, std::vector<int64_t> const& aliases) {
    if (aliases.size() > node.outputs().size())
        fail(ErrorCode::Plugin, "declares aliases for ", aliases.size(), " outputs; it has ", node.outputs().size());
    std::vector<int64_t> shared;
    for (size_t i = 0; i < aliases.size(); ++i) {
        if (aliases[i] < 0) continue;
        checkAlias(plan, node, i, aliases[i]);
        if (std::ranges::find(shared, aliases[i]) != shared.end())
            fail(ErrorCode::Plugin, "two outputs are aliases of input ", aliases[i], "; expected one");
        shared.push_back(aliases[i]);
    }
}

void askAliases(Plan& plan) {
    for (auto const& node : plan.graph.nodes()) {
        auto* layer = as<PluginLayer>(*node->layer);
        if (!layer) continue;
        locate([&] { return text(*node); },
               [&] {
                   auto aliases = layer->plugin().aliases();
                   checkAliases(plan, *node, aliases);
                   bool const shares = std::ranges::any_of(aliases, [](int64_t input) { return input >= 0; });
                   if (shares) layer->setAliases(std::move(aliases));
               });
    }
}

void clonePlugins(std::vector<Node*> const& nodes, Device device, PluginOrigins& origins) {
    Backend const& engine = backendOf(device);
    for (Node* node : nodes) {
        auto* layer = as<PluginLayer>(*node->layer);
        if (!layer) continue;
        origins[node] = &layer->life();
        std::shared_ptr<PluginLife> clone = locate([&] { return text(*node); }, [&] { return layer->life().clone(); });
        clone->plugin().node = node->name;
        clone->setPlace({engine, engine.pluginDevice()});
        layer->revive(std::move(clone));
    }
}

namespace {

using BuiltPlugins = std::map<PluginLife const*, PluginLayer const*>;

BuiltPlugins builtIn(Plan const& plan, PluginOrigins const& origins) {
    BuiltPlugins built;
    forEachPlan(plan, [&](Plan const& one) {
        for (auto const& node : one.graph.nodes()) {
            if (auto const* layer = as<PluginLayer>(*node->layer)) built[origins.at(node.get())] = layer;
        }
    });
    return built;
}

void share(Graph& network, BuiltPlugins const& built) {
    bool anyUnread = false;
    for (auto const& node : network.nodes()) {
        for (Graph* body : node->layer->bodies()) share(*body, built);
        auto* layer = as<PluginLayer>(*node->layer);
        if (!layer) continue;
        auto const found = built.find(&layer->life());
        if (found != built.end()) layer->share(*found->second);
        anyUnread = anyUnread || found == built.end();
    }
    if (anyUnread) removeUnread(network);
}

} // namespace

void sharePlugins(Graph& network, Plan const& plan, PluginOrigins const& origins) {
    share(network, builtIn(plan, origins));
}

void sharePluginsInside(Plan& plan, PluginOrigins const& origins) {
    BuiltPlugins const built = builtIn(plan, origins);
    for (auto const& node : plan.graph.nodes()) {
        for (Graph* body : node->layer->bodies()) share(*body, built);
    }
}

Graph withStates(Graph graph, PluginStates& known) {
    forEachNode(graph, [&](Node& node) {
        auto* layer = as<PluginLayer>(*node.layer);
        bool const isAsked = layer && layer->hasPlugin() && layer->state().empty() && !layer->kernel();
        if (!isAsked) return;
        auto const [state, isNew] = known.try_emplace(&layer->life());
        if (isNew) {
            locate([&] { return text(node); }, [&] { layer->capture(); });
            state->second = layer->state();
        } else {
            layer->setState(state->second);
        }
    });
    return graph;
}

} // namespace tenon
