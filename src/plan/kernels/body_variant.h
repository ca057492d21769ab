// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

#include <memory>
#include <vector>

namespace tenon {

/// The labels of a node whose graphs run as these plans: linear, and on the host for inputs that they read there.
Variant bodyVariant(Plan const& plan, Node const& node, std::vector<std::shared_ptr<Plan>> const& bodies);

/// Throws an Error if plans that were read from a file are not those of the graphs inside the node.
void verifyBodies(Plan const& plan, Assignment const& assignment);

} // namespace tenon
