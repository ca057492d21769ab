// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugin_steps.h"

#include "base/error.h"
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

/// What is known of a plugin's shapes over all profiles. It is to be fast for the first one's.
PortRanges rangesOf(std::vector<ProfileShapes> const& profiles, Assignment const& assignment) {
    PortRanges all = profiles.front().rangesOf(*assignment.node, assignment.variant);
    auto const widen = [](std::vector<PortRange>& ports, std::vector<PortRange> const& others) {
        for (size_t i = 0; i < ports.size(); ++i) {
            for (int axis = 0; axis < ports[i].min.rank(); ++axis) {
                ports[i].min[axis] = std::min(ports[i].min[axis], others[i].min[axis]);
                ports[i].max[axis] = std::max(ports[i].max[axis], others[i].max[axis]);
            }
        }
    };
    for (size_t i = 1; i < profiles.size(); ++i) {
        PortRanges const others = profiles[i].rangesOf(*assignment.node, assignment.variant);
        widen(all.inputs, others.inputs);
        widen(all.outputs, others.outputs);
    }
    return all;
}

void showOptimalShapes(std::vector<ProfileShapes> const& profiles, Assignment const& assignment, Device device,
                       LibraryHandles const& handles) {
    Node const& node = *assignment.node;
    auto const plugin = as<PluginLayer>(*node.layer)->plugin().clone();
    plugin->node = node.name;
    PluginDevice const where(device);
    Started const started(*plugin);
    Attached const attached(*plugin, device, handles);
    for (ProfileShapes const& shapes : profiles)
        plugin->shapesChanged(optimalPorts(node, shapes.rangesOf(node, assignment.variant)));
}

} // namespace

void checkAliases(Plan const& plan, Node const& node, std::vector<int64_t> const& aliases) {
    if (aliases.size() > node.outputs().size())
        fail(ErrorCode::Plugin, "says for ", aliases.size(), " outputs which memory they share; it has ",
             node.outputs().size());
    std::vector<int64_t> shared;
    for (size_t i = 0; i < aliases.size(); ++i) {
        if (aliases[i] < 0) continue;
        checkAlias(plan, node, i, aliases[i]);
        if (std::ranges::find(shared, aliases[i]) != shared.end())
            fail(ErrorCode::Plugin, "two outputs are to share the memory of input ", aliases[i], "; only one can");
        shared.push_back(aliases[i]);
    }
}

Attached::Attached(Plugin& plugin, Device device, LibraryHandles const& handles) : plugin_(plugin) {
    plugin.attach({.device = device, .cudnn = handles.cudnn.get(), .cublas = handles.cublas.get()});
}

PortDescs optimalPorts(Node const& node, PortRanges const& ranges) {
    auto const sizes = node.layer->sizes(operandsOf(node));
    PortDescs descs;
    for (PortRange const& range : ranges.inputs) descs.inputs.push_back({range.opt, range.label});
    for (PortRange const& range : ranges.outputs) {
        Dims dims = range.opt;
        for (int axis = 0; axis < dims.rank(); ++axis) {
            DimExpr const& extent = range.shape[static_cast<size_t>(axis)];
            if (std::ranges::any_of(sizes, [&](SizeTensor const& size) { return extent == size.dim(); }))
                dims[axis] = -1;
        }
        descs.outputs.push_back({dims, range.label});
    }
    return descs;
}

Device deviceOf(Variant const& variant, Device engine) {
    for (auto const* labels : {&variant.outputs, &variant.inputs}) {
        if (!labels->empty()) return labels->front().device;
    }
    return engine;
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

std::vector<ProfileShapes> shapesForPlugins(Plan const& plan) {
    std::vector<ProfileShapes> shapes;
    bool const hasPlugins = std::ranges::any_of(
        plan.nodes, [](Assignment const& assignment) { return as<PluginLayer>(*assignment.node->layer) != nullptr; });
    if (!hasPlugins) return shapes;
    for (Profile const& profile : plan.profiles) shapes.emplace_back(plan, profile);
    return shapes;
}

void configurePlugins(Plan& plan, std::vector<ProfileShapes> const& profiles) {
    for (Assignment const& assignment : plan.nodes) {
        auto* layer = as<PluginLayer>(*assignment.node->layer);
        if (!layer) continue;
        locate([&] { return text(*assignment.node); },
               [&] {
                   PluginDevice const where(deviceOf(assignment.variant, plan.device));
                   layer->plugin().configure(rangesOf(profiles, assignment), assignment.variant);
                   layer->capture();
               });
    }
}

void showOptimalShapes(Plan const& plan, std::vector<ProfileShapes> const& profiles) {
    std::map<Device, LibraryHandles> handles;
    for (Assignment const& assignment : plan.nodes) {
        auto const* layer = as<PluginLayer>(*assignment.node->layer);
        if (!layer || !layer->plugin().traits().hearsShapes) continue;
        Device const device = deviceOf(assignment.variant, plan.device);
        if (!handles.contains(device)) handles.emplace(device, backendOf(device).makeLibraryHandles());
        locate([&] { return text(*assignment.node); },
               [&] { showOptimalShapes(profiles, assignment, device, handles.at(device)); });
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
