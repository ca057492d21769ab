// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plugins/begun_plugins.h"

#include "base/error.h"
#include "plan/kernels/candidates.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <map>

namespace tenon {

PluginPlace placeOf(Variant const& variant, Plan const& plan) {
    Backend const& engine = backendOf(plan.device);
    for (auto const* labels : {&variant.outputs, &variant.inputs}) {
        if (!labels->empty()) return {engine, labels->front().device};
    }
    return {engine, engine.pluginDevice()}; // it has neither inputs nor outputs
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

std::vector<ProfileShapes> const& BegunPlugins::shapes() {
    for (size_t i = shapes_.size(); i < plan_.profiles.size(); ++i)
        shapes_.emplace_back(plan_.graph, plan_.profiles[i]);
    return shapes_;
}

/// The ranges that span all profiles, with the first profile's optimum.
PortRanges BegunPlugins::rangesOf(Assignment const& choice) {
    PortRanges all = shapes().front().rangesOf(*choice.node, choice.variant);
    auto const widen = [](std::vector<PortRange>& ports, std::vector<PortRange> const& others) {
        for (size_t i = 0; i < ports.size(); ++i) {
            for (int axis = 0; axis < ports[i].min.rank(); ++axis) {
                ports[i].min[axis] = std::min(ports[i].min[axis], others[i].min[axis]);
                ports[i].max[axis] = std::max(ports[i].max[axis], others[i].max[axis]);
            }
        }
    };
    for (size_t i = 1; i < shapes().size(); ++i) {
        PortRanges const others = shapes()[i].rangesOf(*choice.node, choice.variant);
        widen(all.inputs, others.inputs);
        widen(all.outputs, others.outputs);
    }
    return all;
}

BegunPlugins::Begun const* BegunPlugins::find(Node const& node) const {
    auto const found = std::ranges::find_if(begun_, [&](Begun const& begun) { return begun.choice.node == &node; });
    return found == begun_.end() ? nullptr : &*found;
}

void BegunPlugins::end(Node const& node) {
    std::erase_if(begun_, [&](Begun const& begun) { return begun.choice.node == &node; });
}

size_t BegunPlugins::begin(Assignment const& choice) {
    Begun const* const known = find(*choice.node);
    if (known && isSameWay(known->choice, choice)) return known->workspace;
    end(*choice.node); // before another is begun: an IPlugin has one object only
    std::shared_ptr<PluginLife> const life = as<PluginLayer>(*choice.node->layer)->life().clone();
    life->setPlace(placeOf(choice.variant, plan_));
    life->shareAmongContexts();
    life->configure(rangesOf(choice), choice.variant);
    life->start(); // plugins without dynamic shapes report their workspace after that
    Begun begun{choice, life, 0, {}};
    for (ProfileShapes const& profile : shapes()) {
        PortRanges const ranges = profile.rangesOf(*choice.node, choice.variant);
        begun.workspace = std::max(begun.workspace, life->workspace(ranges));
        auto const largest = largestExtents(ranges);
        begun.largest.insert(begun.largest.end(), largest.begin(), largest.end());
    }
    begun_.push_back(begun);
    return begun.workspace;
}

void BegunPlugins::tellOptimalShapes(Begun const& begun, LibraryHandles const& handles) {
    Assignment const& choice = begun.choice;
    auto const shown = begun.life->cloneToRun();
    shown->attach(
        {.device = placeOf(choice.variant, plan_).data, .cudnn = handles.cudnn.get(), .cublas = handles.cublas.get()});
    for (ProfileShapes const& profile : shapes())
        shown->setShapes(optimalPorts(*choice.node, profile.rangesOf(*choice.node, choice.variant)));
}

void BegunPlugins::settle() {
    std::map<Device, LibraryHandles> handles;
    for (Begun const& begun : begun_) {
        auto& layer = *as<PluginLayer>(*begun.choice.node->layer);
        Variant const& variant = begun.choice.variant;
        Device const device = placeOf(variant, plan_).data;
        bool const isTold = begun.life->plugin().traits().hearsShapes;
        if (isTold && !handles.contains(device)) handles.emplace(device, backendOf(device).makeLibraryHandles());
        locate([&] { return text(*begun.choice.node); },
               [&] {
                   if (isTold) tellOptimalShapes(begun, handles.at(device));
                   layer.settle(begun.life, variant.tactic, static_cast<int64_t>(begun.workspace), begun.largest);
               });
    }
    begun_.clear();
}

} // namespace tenon
