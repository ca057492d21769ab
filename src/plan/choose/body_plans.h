// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/plan.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon {

/// The graphs inside one node as plans of their own; or none, and the reason: then the layer's reference runs them.
struct BodyPlans {
    std::vector<std::shared_ptr<Plan>> plans;
    std::string refusal;
};

/// Of the nodes with graphs inside.
using BodyPlansOf = std::unordered_map<Node const*, BodyPlans>;

/// Builds a graph inside a node: build(), passed as a parameter so that nothing here includes it.
using BuildInside = std::function<Plan(Graph const& network, BuildConfig const& config)>;

/// Plans for the graphs inside a node, for the profiles of the node's plan. Constants that they read from outside are
/// constants in them.
BodyPlans planBodies(Plan const& plan, Node const& node, BuildConfig const& config, BuildInside const& build);

} // namespace tenon
