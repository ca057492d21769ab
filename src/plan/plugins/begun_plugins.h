// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "plan/shapes/profile_shapes.h"
#include "plugin/plugin_life.h"

#include <memory>
#include <vector>

namespace tenon {

/// The device of a plugin with this variant, in an engine for `plan.device`, whose device is current.
PluginPlace placeOf(Variant const& variant, Plan const& plan);

/// The shapes for which the plugin of a node is optimized. Data-dependent extents are -1.
PortDescs optimalPorts(Node const& node, PortRanges const& ranges);

/// The engine's future plugin objects, while kernels are chosen: each is configured once, for all profiles and the
/// variant chosen for its node, and started. If another variant is chosen, another object is begun.
class BegunPlugins {
public:
    explicit BegunPlugins(Plan const& plan) : plan_(plan) {}

    /// The most bytes of workspace that the plugin needs with this variant, at the largest shapes of each profile.
    size_t begin(Assignment const& choice);
    /// Ends the node's object, if there is one: its variant was rejected.
    void end(Node const& node);
    /// Passes the objects to their layers. Before that, clones receive the optimal shapes of each profile, so that the
    /// build detects a plugin that rejects some of them.
    void settle();

private:
    struct Begun {
        Assignment choice;
        std::shared_ptr<PluginLife> life;
        size_t workspace;
        std::vector<int64_t> largest; // see PluginBuilt
    };
    Begun const* find(Node const& node) const;
    std::vector<ProfileShapes> const& shapes();
    PortRanges rangesOf(Assignment const& choice);
    void tellOptimalShapes(Begun const& begun, LibraryHandles const& handles);

    Plan const& plan_;
    std::vector<ProfileShapes> shapes_; // of all profiles; empty until requested
    std::vector<Begun> begun_;
};

} // namespace tenon
