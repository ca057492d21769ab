// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugin_steps.h"

#include "base/error.h"
#include "plan/profile_shapes.h"
#include "plugin/plugin_devices.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

/// Output and input are one piece of memory: as large, and of the same type, at every shape.
void checkAlias(Plan const& plan, Node const& node, size_t output, int64_t input) {
    auto const count = static_cast<int64_t>(node.inputs().size());
    if (input >= count || node.input(static_cast<int>(input)) == nullptr)
        fail(ErrorCode::Plugin, "output ", output, " is to share the memory of input ", input, "; the plugin has ",
             count, " inputs");
    Tensor const& from = *node.input(static_cast<int>(input));
    Tensor const& to = *node.output(static_cast<int>(output));
    if (from.onHost)
        fail(ErrorCode::Plugin, "output ", output, " is to share the memory of input ", input,
             ", which is a shape tensor");
    bool same = from.type == to.type;
    for (Profile const& profile : plan.profiles) {
        ProfileShapes const shapes(plan, profile);
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max})
            same = same && shapes.dimsOf(node.inputs(), point)[static_cast<size_t>(input)] ==
                               shapes.dimsOf(node.outputs(), point)[output];
    }
    if (!same)
        fail(ErrorCode::Plugin, "output ", output, " is ", to.type, ' ', to.shape,
             " and is to share the memory of input ", input, ", which is ", from.type, ' ', from.shape,
             "; expected the same type and shape");
}

void askOne(Plan const& plan, Node const& node, PluginLayer& layer) {
    auto const aliases = layer.plugin().aliases();
    std::vector<int64_t> shared;
    for (size_t i = 0; i < aliases.size(); ++i) {
        if (aliases[i] < 0) continue;
        checkAlias(plan, node, i, aliases[i]);
        if (std::ranges::find(shared, aliases[i]) != shared.end())
            fail(ErrorCode::Plugin, "two outputs are to share the memory of input ", aliases[i], "; only one can");
        shared.push_back(aliases[i]);
    }
    if (!shared.empty()) layer.setAliases(aliases);
}

} // namespace

Device deviceOf(Variant const& variant, Device engine) {
    for (auto const* labels : {&variant.outputs, &variant.inputs}) {
        if (!labels->empty()) return labels->front().device;
    }
    return engine;
}

void askAliases(Plan& plan) {
    for (auto const& node : plan.graph.nodes()) {
        auto* layer = as<PluginLayer>(*node->layer);
        if (layer) locate([&] { return text(*node); }, [&] { askOne(plan, *node, *layer); });
    }
}

PluginOrigins clonePlugins(Plan& plan) {
    PluginOrigins origins;
    for (auto const& node : plan.graph.nodes()) {
        auto* layer = as<PluginLayer>(*node->layer);
        if (!layer) continue;
        auto clone = locate([&] { return text(*node); }, [&] { return layer->plugin().clone(); });
        clone->node = node->name;
        origins[clone.get()] = &layer->plugin();
        layer->revive(std::move(clone));
    }
    return origins;
}

void configurePlugins(Plan& plan) {
    ProfileShapes const shapes(plan, plan.profiles.front());
    for (Assignment const& assignment : plan.nodes) {
        auto* layer = as<PluginLayer>(*assignment.node->layer);
        if (!layer) continue;
        locate([&] { return text(*assignment.node); },
               [&] {
                   PluginDevice const where(deviceOf(assignment.variant, plan.device));
                   layer->plugin().configure(shapes.rangesOf(*assignment.node, assignment.variant), assignment.variant);
                   layer->capture();
               });
    }
}

void keepStates(Graph& network, Plan const& plan, PluginOrigins const& origins) {
    std::map<Plugin const*, PluginState const*> states;
    for (auto const& node : plan.graph.nodes()) {
        auto const* layer = as<PluginLayer>(*node->layer);
        auto const origin = layer ? origins.find(&layer->plugin()) : origins.end();
        if (origin != origins.end()) states[origin->second] = &layer->state();
    }
    for (auto const& node : network.nodes()) {
        auto* layer = as<PluginLayer>(*node->layer);
        auto const state = layer ? states.find(&layer->plugin()) : states.end();
        if (state != states.end()) layer->setState(*state->second);
    }
}

} // namespace tenon
