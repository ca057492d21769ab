// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

#include <vector>

namespace tenon {

/// What a node can be computed with: the cheapest variant for each combination of labels.
struct Candidates {
    Node* node = nullptr;
    std::vector<Assignment> choices;
    std::vector<Weighed> weighed = {}; // for each kernel that was asked, or variant of a plugin that was timed
};

/// The same node, computed by the same kernel or plugin in the same variant.
bool isSameWay(Assignment const& a, Assignment const& b);

/// The variant runs on the CPU: all that it reads and writes is in host memory.
bool isOnHost(Variant const& variant);

} // namespace tenon
