// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// The graphs inside of one node as plans of their own; or none, and why: then the layer's reference runs them.
struct BodyPlans {
    std::vector<std::shared_ptr<Plan>> plans;
    std::string refusal;
};

/// Plans for the graphs inside of a node, for the profiles of the plan that the node is in. Constants that they read
/// from around them are constants in them.
BodyPlans planBodies(Plan const& plan, Node const& node, BuildConfig const& config);

/// How a node lies in memory whose graphs run as these plans: linear, and on the host what they read there.
Variant bodyVariant(Plan const& plan, Node const& node, std::vector<std::shared_ptr<Plan>> const& bodies);

/// An Error where plans that were read from a file are not those of the graphs inside of the node.
void verifyBodies(Plan const& plan, Assignment const& assignment);

} // namespace tenon
