// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/fold_plan_cpu.h"

#include "graph/elements.h"

#include <algorithm>
#include <span>

namespace tenon::cpu {
namespace {

struct Extent {
    int64_t extent;
    bool folds;
};

/// The axes of X in memory order; adjacent ones of one kind are merged.
std::vector<Extent> inMemory(Dims const& dims, Format const& format, std::vector<bool> const& folds) {
    std::vector<Extent> axes;
    auto const add = [&](int64_t extent, bool fold) {
        if (extent == 1) return;
        if (!axes.empty() && axes.back().folds == fold)
            axes.back().extent *= extent;
        else
            axes.push_back({extent, fold});
    };
    bool const linear = format.isLinear();
    for (int axis = 0; axis < dims.rank(); ++axis) {
        bool const channels = !linear && axis == 1;
        if (channels && format.channelsLast) continue;
        int64_t const blocks = (dims[axis] + format.block - 1) / format.block;
        add(channels ? blocks : dims[axis], folds[static_cast<size_t>(axis)]);
    }
    if (!linear) add(format.channelsLast ? dims[1] : format.block, folds[1]);
    return axes;
}

/// Offsets of all elements over the axes [0, end) of one kind, in row-major order.
std::vector<int64_t> offsetsOf(std::span<Extent const> axes, size_t end, bool folds) {
    std::vector<int64_t> offsets{0};
    for (size_t axis = 0; axis < end; ++axis) {
        if (axes[axis].folds != folds) continue;
        int64_t stride = 1;
        for (size_t inner = axis + 1; inner < axes.size(); ++inner) stride *= axes[inner].extent;
        std::vector<int64_t> next;
        for (int64_t const offset : offsets) {
            for (int64_t i = 0; i < axes[axis].extent; ++i) next.push_back(offset + i * stride);
        }
        offsets.swap(next);
    }
    return offsets;
}

} // namespace

FoldPlan::FoldPlan(Dims const& x, Format const& format, std::vector<bool> const& folds) {
    auto axes = inMemory(x, format, folds);
    for (Extent const& axis : axes) count *= axis.folds ? axis.extent : 1;
    if (axes.empty() || axes.back().folds) axes.push_back({1, false}); // folds a contiguous run
    lanes = axes.back().extent;
    size_t end = axes.size() - 1;
    if (end > 0) rows = axes[--end].extent; // a folded axis: adjacent ones of one kind are merged
    kept = offsetsOf(axes, end, false);
    folded = offsetsOf(axes, end, true);
    int64_t const parts = kept.size() < 4 ? 4 : 1; // work for several threads if few elements remain
    chunk = std::min(kMostLanes, (lanes + parts * 64 - 1) / (parts * 64) * 64);
    chunks = (lanes + chunk - 1) / chunk;
}

FoldPlan::Item FoldPlan::item(int64_t number) const {
    int64_t const group = number / chunks;
    int64_t const lane = number % chunks * chunk;
    return {kept[static_cast<size_t>(group)] + lane, group * lanes + lane, std::min(chunk, lanes - lane)};
}

int64_t FoldPlan::grain(int64_t elements) const {
    int64_t const perItem = std::max<int64_t>(1, count * std::min(chunk, lanes));
    return (elements + perItem - 1) / perItem;
}

PlannedFold::PlannedFold(PrepareArgs const& args)
    : layer_(*as<Reduce>(*args.node.layer)), x_(args.inputs[0]), format_(args.variant.inputs[0].format),
      lists_(args.node, args.inputs) {
    auto const folds = layer_.folds(operandsOf(args.node));
    isFixed_ = folds.has_value();
    if (isFixed_) plan_.emplace(x_, format_, *folds);
}

void PlannedFold::plan() { plan_.emplace(x_, format_, layer_.folds(operandsOf(lists_.tensors())).value()); }

} // namespace tenon::cpu
