// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/sampled_copy.h"
#include "backends/cpu/strided_copy.h"
#include "backends/host_lists.h"
#include "graph/elements.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// A cut with known numbers.
struct Window {
    int64_t start, extent, stride;

    bool inside(int64_t of) const {
        int64_t const last = start + (extent - 1) * stride;
        return extent == 0 || (std::min(start, last) >= 0 && std::max(start, last) < of);
    }
};

/// Whether a window of the channels, [start, start + extent), consists of whole blocks.
bool takesWholeBlocks(Slice::Cut const& cut, DimExpr const& channels, int block) {
    if (!(cut.stride == DimExpr(1)) || !isConstant({cut.start})) return false;
    if (cut.start == DimExpr(0) && cut.extent == channels) return true;
    if (!isConstant({cut.extent, channels})) return false;
    bool const endsWithBlock = cut.extent.constant() % block == 0 || cut.start + cut.extent == channels;
    return cut.start.constant() % block == 0 && endsWithBlock;
}

class Cutting final : public Executable {
public:
    explicit Cutting(PrepareArgs const& args)
        : layer_(*as<Slice>(*args.node.layer)), label_(args.variant.inputs[0]), x_(args.inputs[0]), y_(args.outputs[0]),
          lists_(args.node, args.inputs) {
        if (lists_.known()) plan();
    }

    void run(Pointers const& pointers) override {
        if (lists_.update(pointers)) plan();
        bool const filled = lists_.tensors().size() > Slice::kFill && pointers.inputs[Slice::kFill];
        void const* fill = filled ? pointers.inputs[Slice::kFill] : kZero;
        auto const* x = static_cast<std::byte const*>(pointers.inputs[0]);
        if (inside_) {
            copy_.run(x + start_, pointers.outputs[0]);
        } else {
            sample_.run(x, pointers.outputs[0], fill);
        }
    }

private:
    static constexpr std::byte kZero[8]{};

    Window windowOf(std::vector<Slice::Cut> const& cuts, MemoryAxis const& axis) const {
        int const block = label_.format.block;
        if (axis.axis == MemoryAxis::kLanes) return {0, block, 1};
        Slice::Cut const& cut = cuts[static_cast<size_t>(axis.axis)];
        Window const window{cut.start.constant(), y_[axis.axis], cut.stride.constant()};
        if (block == 1 || axis.axis != label_.format.axis) return window;
        return {window.start / block, (window.extent + block - 1) / block, 1};
    }

    void plan() {
        auto const cuts = layer_.cuts(operandsOf(lists_.tensors()));
        auto const axes = memoryAxes(x_, label_.format);
        std::vector<Window> windows;
        for (MemoryAxis const& axis : axes) windows.push_back(windowOf(cuts, axis));
        inside_ = true;
        for (size_t i = 0; i < axes.size(); ++i) inside_ &= windows[i].inside(axes[i].extent);
        inside_ ? planCopy(axes, windows) : planSamples(axes, windows);
    }

    void planCopy(std::vector<MemoryAxis> const& axes, std::vector<Window> const& windows) {
        // the lanes of a block are copied as one wide element, so that a tensor of eight axes has no ninth
        bool const blocked = !axes.empty() && axes.back().axis == MemoryAxis::kLanes;
        int64_t const wide = blocked ? axes.back().extent : 1;
        Dims extents;
        Dims from;
        auto const bytes = static_cast<int64_t>(elementBytes(label_.type));
        start_ = 0;
        for (size_t i = 0; i + (blocked ? 1 : 0) < axes.size(); ++i) {
            extents.push(windows[i].extent);
            from.push(axes[i].stride / wide * windows[i].stride);
            start_ += windows[i].extent == 0 ? 0 : windows[i].start * axes[i].stride * bytes;
        }
        copy_ = StridedCopy(extents, from, rowMajorStrides(extents), static_cast<size_t>(wide * bytes));
    }

    void planSamples(std::vector<MemoryAxis> const& axes, std::vector<Window> const& windows) {
        std::vector<std::vector<int64_t>> tables(axes.size());
        for (size_t i = 0; i < axes.size(); ++i) {
            for (int64_t j = 0; j < windows[i].extent; ++j) {
                int64_t const at = sampledFrom(layer_.mode, windows[i].start + j * windows[i].stride, axes[i].extent);
                tables[i].push_back(at < 0 ? SampledCopy::kNowhere : at * axes[i].stride);
            }
        }
        sample_ = SampledCopy(std::move(tables), elementBytes(label_.type));
    }

    Slice const& layer_; // owned by the engine's graph
    Label label_;
    Dims x_, y_;
    HostLists lists_;
    bool inside_ = true;
    int64_t start_ = 0; // in bytes
    StridedCopy copy_;
    SampledCopy sample_;
};

class CpuSlice final : public Kernel {
public:
    std::string_view name() const override { return "slice"; }

    // any type; linear, channels last, and blocked for whole blocks
    Offer offer(KernelQuery const& query) const override {
        bool const hasChannels = query.node.input(0)->shape.size() >= 3;
        auto formats = formatsOf(hasChannels, {Format::nhwc()});
        if (hasChannels && staysBlocked(query.node)) formats.push_back(Format::blocked(channelBlock()));
        return offerMoving(query, {.writes = 2}, formats);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Cutting>(args);
    }

private:
    static bool staysBlocked(Node const& node) {
        auto const& layer = *as<Slice>(*node.layer);
        DimExpr const& channels = node.input(0)->shape[1];
        auto const cuts = layer.cuts(operandsOf(node));
        if (layer.mode == Slice::Mode::StrictBounds) return takesWholeBlocks(cuts[1], channels, channelBlock());
        bool const whole = cuts[1].start == DimExpr(0) && cuts[1].stride == DimExpr(1) && cuts[1].extent == channels;
        bool const padding = channels.constantOr(1) % channelBlock() != 0; // must stay zero
        return whole && !(padding && node.input(Slice::kFill));
    }
};

constexpr CpuSlice kSlice;
constexpr Kernel const* kKernels[]{&kSlice};

} // namespace

KernelList sliceKernels() { return {Slice::kKind, kKernels}; }

} // namespace tenon::cpu
