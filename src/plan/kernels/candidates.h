// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

#include <vector>

namespace tenon {

/// The candidates for a node: the cheapest variant for each combination of labels.
struct Candidates {
    Node* node = nullptr;
    std::vector<Assignment> choices;
    std::vector<Weighed> weighed = {}; // for each kernel that was queried, or variant of a plugin that was timed
};

/// The same node, computed by the same kernel or plugin in the same variant.
bool isSameWay(Assignment const& a, Assignment const& b);

/// The variant runs on the CPU: all its inputs and outputs are in host memory.
bool isOnHost(Variant const& variant);

} // namespace tenon
