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

/// The graphs inside of one node as plans of their own; or none, and why: then the layer's reference runs them.
struct BodyPlans {
    std::vector<std::shared_ptr<Plan>> plans;
    std::string refusal;
};

/// Of the nodes with graphs inside.
using BodyPlansOf = std::unordered_map<Node const*, BodyPlans>;

/// Builds a graph inside of a node. The caller passes build(), so that nothing here includes it.
using BuildInside = std::function<Plan(Graph const& network, BuildConfig const& config)>;

/// Plans for the graphs inside of a node, for the profiles of the plan that the node is in. Constants that they read
/// from around them are constants in them.
BodyPlans planBodies(Plan const& plan, Node const& node, BuildConfig const& config, BuildInside const& build);

} // namespace tenon
