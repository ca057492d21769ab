// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/profile_shapes.h"
#include "plugin/plugin_life.h"

#include <memory>
#include <vector>

namespace tenon {

/// Where a plugin works in this way; in an engine of `plan.device` whose device is current.
PluginPlace placeOf(Variant const& variant, Plan const& plan);

/// What the plugin of a node is to be fast for. Extents that only the run tells are -1.
PortDescs optimalPorts(Node const& node, PortRanges const& ranges);

/// The objects of plugins that are to be the engine's, while kernels are chosen: each is configured for all profiles in
/// the way that was chosen for its node and started, once. Where another way is chosen, it ends and another is begun.
class BegunPlugins {
public:
    explicit BegunPlugins(Plan const& plan) : plan_(plan) {}

    /// The most bytes of workspace that the plugin takes in this way, at the largest shapes of each profile.
    size_t begin(Assignment const& choice);
    /// That way is not taken after all.
    void end(Node const& node);
    /// Gives the objects to their layers. Before that, clones are told the shapes that each profile is to be fast for:
    /// a plugin that refuses some of them is found now.
    void settle();

private:
    struct Begun {
        Assignment choice;
        std::shared_ptr<PluginLife> life;
        size_t workspace;
    };
    Begun const* find(Node const& node) const;
    std::vector<ProfileShapes> const& shapes();
    PortRanges rangesOf(Assignment const& choice);
    void tellOptimalShapes(Begun const& begun, LibraryHandles const& handles);

    Plan const& plan_;
    std::vector<ProfileShapes> shapes_; // of all profiles; empty until they are asked for
    std::vector<Begun> begun_;
};

} // namespace tenon
