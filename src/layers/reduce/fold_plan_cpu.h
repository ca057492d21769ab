// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/host_lists.h"
#include "layers/reduce/reduce.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::cpu {

constexpr int64_t kMostLanes = 1024; // that one step folds in parallel, on the stack

/// The elements of X that fold into each of Y. Y consists of groups of `lanes` contiguous elements; group g is the fold
/// of the lanes at X[kept[g] + folded[f] + r * lanes], for all f and all r in [0, rows).
struct FoldPlan {
    int64_t count = 1; // elements that fold into one
    int64_t lanes = 1;
    int64_t rows = 1;
    std::vector<int64_t> kept;
    std::vector<int64_t> folded;
    int64_t chunk = 1; // lanes that are folded at a time, at most kMostLanes
    int64_t chunks = 1;

    FoldPlan(Dims const& x, Format const& format, std::vector<bool> const& folds);

    /// A part of the work: some lanes of one group.
    struct Item {
        int64_t x, y, lanes; // x: without the offsets in `folded`
    };
    int64_t items() const { return static_cast<int64_t>(kept.size()) * chunks; }
    Item item(int64_t number) const;
    /// The number of items that take a thread about 10 µs, if it folds this many elements in that time.
    int64_t grain(int64_t elements) const;
};

/// The plan of a Reduce: made with the kernel, or, if the axes are known at run time only, by the first run.
class PlannedFold {
public:
    explicit PlannedFold(PrepareArgs const& args);

    /// Called at the start of each run.
    void settle(Pointers const& pointers) {
        if (!isFixed_ && lists_.update(pointers)) plan();
    }
    FoldPlan const* operator->() const { return &*plan_; }

private:
    void plan();

    Reduce const& layer_; // owned by the engine's graph
    Dims x_;
    Format format_;
    HostLists lists_;
    bool isFixed_ = true;
    std::optional<FoldPlan> plan_;
};

/// LogSumExp of float32, and all operations on integers and booleans, on linear tensors.
Kernel const& typedReduce();

} // namespace tenon::cpu
