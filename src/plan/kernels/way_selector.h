// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tenon {

class Node;
struct Candidates;
struct Plan;

/// Restricts the variants of a node that a build may use (BuildConfig::selector).
class WaySelector {
public:
    virtual ~WaySelector() = default;
    /// The numbers of those in candidates.choices that may be used; empty: all of them. Called once for each node.
    virtual std::vector<size_t> select(Plan const& plan, Candidates const& candidates) = 0;
};

/// Of nodes whose variants were selected: the remaining tactics (Kernel::tactics).
using SelectedTactics = std::unordered_map<Node const*, std::vector<int64_t>>;

} // namespace tenon
