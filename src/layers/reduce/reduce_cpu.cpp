// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cpu {
namespace {

using enum ReduceOperation;

constexpr int64_t kMostLanes = 1024; // that one step folds side by side, on the stack
constexpr int64_t kRowsAtOnce = 256; // folded before they join the rest, so that long sums stay exact
constexpr int64_t kGrain = 32768;    // elements that one thread folds in about 10 µs

std::optional<Fold> foldOf(ReduceOperation operation) {
    switch (operation) {
    case Sum:
    case Avg:
    case LogSum: return Fold::Sum;
    case Prod: return Fold::Prod;
    case Max: return Fold::Max;
    case Min: return Fold::Min;
    case L1: return Fold::SumOfAbs;
    case L2:
    case SumSquare: return Fold::SumOfSquares;
    case None:
    case LogSumExp: break;
    }
    return std::nullopt;
}

/// How parts of a fold join: sums of squares add up.
Fold joinOf(Fold fold) { return fold == Fold::SumOfAbs || fold == Fold::SumOfSquares ? Fold::Sum : fold; }

struct Extent {
    int64_t extent;
    bool folds;
};

/// The axes of X as they lie in memory, neighbours of one kind joined.
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

class ReduceExecutable final : public Executable {
public:
    ReduceExecutable(PrepareArgs const& args, Reduce const& layer)
        : operation_(layer.operation), fold_(*foldOf(layer.operation)), loops_(foldLoops()) {
        Dims const& x = args.inputs[0];
        auto axes = inMemory(x, args.variant.inputs[0].format, foldedAxes(layer, x.rank()));
        for (Extent const& axis : axes) count_ *= axis.folds ? axis.extent : 1;
        if (axes.empty() || axes.back().folds) axes.push_back({1, false}); // folds a run of neighbours
        lanes_ = axes.back().extent;
        size_t end = axes.size() - 1;
        if (end > 0) rows_ = axes[--end].extent; // a folded axis: neighbours of one kind are joined
        kept_ = offsetsOf(axes, end, false);
        folded_ = offsetsOf(axes, end, true);
        int64_t const parts = kept_.size() < 4 ? 4 : 1; // work for several threads where few elements stay
        chunk_ = std::min(kMostLanes, (lanes_ + parts * 64 - 1) / (parts * 64) * 64);
        chunks_ = (lanes_ + chunk_ - 1) / chunk_;
    }

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        auto const items = static_cast<int64_t>(kept_.size()) * chunks_;
        int64_t const perItem = std::max<int64_t>(1, count_ * std::min(chunk_, lanes_));
        parallelFor(items, (kGrain + perItem - 1) / perItem, [&](int64_t begin, int64_t end) {
            for (int64_t item = begin; item < end; ++item) {
                int64_t const lane = item % chunks_ * chunk_;
                int64_t const lanes = std::min(chunk_, lanes_ - lane);
                float* const into = y + item / chunks_ * lanes_ + lane;
                foldInto(into, x + kept_[static_cast<size_t>(item / chunks_)] + lane, lanes);
                for (int64_t l = 0; l < lanes; ++l) into[l] = finished(into[l]);
            }
        });
    }

private:
    void foldInto(float* into, float const* x, int64_t lanes) const {
        if (lanes_ == 1) {
            *into = foldRuns(x);
            return;
        }
        std::fill_n(into, lanes, neutralOf(fold_));
        std::array<float, kMostLanes> part;
        auto const fold = static_cast<size_t>(fold_);
        auto const join = static_cast<size_t>(joinOf(fold_));
        for (int64_t const offset : folded_) {
            for (int64_t row = 0; row < rows_; row += kRowsAtOnce) {
                std::fill_n(part.data(), lanes, neutralOf(fold_));
                loops_.rows[fold](part.data(), x + offset + row * lanes_, std::min(kRowsAtOnce, rows_ - row), lanes_,
                                  lanes);
                loops_.rows[join](into, part.data(), 1, lanes, lanes);
            }
        }
    }

    float foldRuns(float const* x) const {
        constexpr int64_t kRun = 64 * kRowsAtOnce;
        float all = neutralOf(fold_);
        for (int64_t const offset : folded_) {
            for (int64_t i = 0; i < rows_; i += kRun) {
                float const part = loops_.run[static_cast<size_t>(fold_)](x + offset + i, std::min(kRun, rows_ - i));
                loops_.rows[static_cast<size_t>(joinOf(fold_))](&all, &part, 1, 1, 1);
            }
        }
        return all;
    }

    float finished(float sum) const {
        if (operation_ == Avg) return sum / static_cast<float>(count_);
        if (operation_ == L2) return std::sqrt(sum);
        return operation_ == LogSum ? std::log(sum) : sum;
    }

    ReduceOperation operation_;
    Fold fold_;
    FoldLoops const& loops_;
    int64_t count_ = 1; // elements that become one
    int64_t lanes_ = 1; // elements of Y that lie together, and elements of X between rows
    int64_t rows_ = 1;
    std::vector<int64_t> kept_; // where in X the rows of each `lanes_` elements of Y start, but for folded_
    std::vector<int64_t> folded_;
    int64_t chunk_ = 1; // lanes that are folded at a time
    int64_t chunks_ = 1;
};

class FoldReduce final : public Kernel {
public:
    std::string_view name() const override { return "folds"; }

    // linear; channels last and in blocks where the channels stay and all axes are kept
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Reduce>(*query.node.layer);
        Dims const& x = query.inputs[0];
        if (!foldOf(layer.operation)) return Offer::refuse(text("does not compute ", layer.operation));
        if (x.volume() == 0) return Offer::refuse("takes no empty tensors");
        auto const folds = foldedAxes(layer, x.rank());
        Offer offer;
        for (DataType type : query.typesOf(*query.node.input(0))) {
            if (!fitsFloat(type)) continue;
            for (Format const& format : {Format::linear(), Format::nhwc(), Format::blocked(channelBlock())}) {
                bool const channels = layer.keepDimensions && x.rank() >= 3 && !folds[1];
                if (!format.isLinear() && !channels) continue;
                if (format.block != 1 && layer.operation == LogSum) continue; // the padding would not stay zero
                Label const label{DataType::Float32, format, Device::Cpu};
                double const bytes = static_cast<double>(bytesOf(x, label));
                Variant variant{.inputs = {label}, .outputs = {label}, .cost = 300 + memoryCost(bytes) / 2};
                offer.variants.push_back(storedAs(type, query, variant));
            }
        }
        if (offer.variants.empty())
            offer.refusal = text("takes float32, float16 and bfloat16, not ", query.node.input(0)->type);
        return offer;
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) {
            return std::make_unique<ReduceExecutable>(inner, *as<Reduce>(*inner.node.layer));
        });
    }
};

constexpr FoldReduce kFolds;
constexpr Kernel const* kKernels[]{&kFolds};

} // namespace

KernelList reduceKernels() { return {Reduce::kKind, kKernels}; }

} // namespace tenon::cpu
