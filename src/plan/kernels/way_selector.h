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

/// Says which of a node's ways a build may take (BuildConfig::selector).
class WaySelector {
public:
    virtual ~WaySelector() = default;
    /// Those of candidates.choices that may be taken, by number; empty: all of them. Asked once for each node.
    virtual std::vector<size_t> select(Plan const& plan, Candidates const& candidates) = 0;
};

/// Of nodes whose ways were selected: the tactics (Kernel::tactics) that are left.
using SelectedTactics = std::unordered_map<Node const*, std::vector<int64_t>>;

} // namespace tenon
