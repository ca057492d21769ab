// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/reduce/fold_plan_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cpu {
namespace {

using enum ReduceOperation;

constexpr int64_t kRowsAtOnce = 256; // folded separately before they are combined, so that long sums stay exact
constexpr int64_t kGrain = 32768;    // elements that one thread folds in about 10 µs

std::optional<Fold> foldOf(ReduceOperation operation) {
    switch (operation) {
    case Sum:
    case Avg:
    case LogSum: return Fold::Sum;
    case Prod: return Fold::Prod;
    case None: // of one element
    case Max: return Fold::Max;
    case Min: return Fold::Min;
    case L1: return Fold::SumOfAbs;
    case L2:
    case SumSquare: return Fold::SumOfSquares;
    case LogSumExp: break;
    }
    return std::nullopt;
}

/// How partial folds are combined: sums of squares add up.
Fold joinOf(Fold fold) { return fold == Fold::SumOfAbs || fold == Fold::SumOfSquares ? Fold::Sum : fold; }

class ReduceExecutable final : public Executable {
public:
    ReduceExecutable(PrepareArgs const& args, Reduce const& layer)
        : operation_(layer.operation), fold_(*foldOf(layer.operation)), loops_(bestLoops<FoldLoops>()), plan_(args) {}

    void run(Pointers const& pointers) override {
        plan_.settle(pointers);
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        parallelFor(plan_->items(), plan_->grain(kGrain), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                auto const item = plan_->item(i);
                float* const into = y + item.y;
                foldInto(into, x + item.x, item.lanes);
                for (int64_t l = 0; l < item.lanes; ++l) into[l] = finished(into[l]);
            }
        });
    }

private:
    void foldInto(float* into, float const* x, int64_t lanes) const {
        if (plan_->lanes == 1) {
            *into = foldRuns(x);
            return;
        }
        std::fill_n(into, lanes, neutralOf(fold_));
        std::array<float, kMostLanes> part;
        auto const fold = static_cast<size_t>(fold_);
        auto const join = static_cast<size_t>(joinOf(fold_));
        for (int64_t const offset : plan_->folded) {
            for (int64_t row = 0; row < plan_->rows; row += kRowsAtOnce) {
                std::fill_n(part.data(), lanes, neutralOf(fold_));
                loops_.rows[fold](part.data(), x + offset + row * plan_->lanes,
                                  std::min(kRowsAtOnce, plan_->rows - row), plan_->lanes, lanes);
                loops_.rows[join](into, part.data(), 1, lanes, lanes);
            }
        }
    }

    float foldRuns(float const* x) const {
        constexpr int64_t kRun = 64 * kRowsAtOnce;
        float all = neutralOf(fold_);
        for (int64_t const offset : plan_->folded) {
            for (int64_t i = 0; i < plan_->rows; i += kRun) {
                float const part =
                    loops_.run[static_cast<size_t>(fold_)](x + offset + i, std::min(kRun, plan_->rows - i));
                loops_.rows[static_cast<size_t>(joinOf(fold_))](&all, &part, 1, 1, 1);
            }
        }
        return all;
    }

    float finished(float sum) const {
        if (operation_ == Avg) return sum / static_cast<float>(plan_->count);
        if (operation_ == L2) return std::sqrt(sum);
        return operation_ == LogSum ? std::log(sum) : sum;
    }

    ReduceOperation operation_;
    Fold fold_;
    FoldLoops const& loops_;
    PlannedFold plan_;
};

class FoldReduce final : public Kernel {
public:
    std::string_view name() const override { return "folds"; }

    // linear; channels last and blocked if the channels stay and all axes are kept
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<Reduce>(*query.node.layer);
        Dims const& x = query.inputs[0];
        if (!foldOf(layer.operation)) return Offer::refuse(text("does not support ", layer.operation));
        if (x.volume() == 0) return Offer::refuse("does not support empty tensors");
        auto const folds = layer.folds(operandsOf(query.node));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            for (Format const& format : {Format::linear(), Format::nhwc(), Format::blocked(channelBlock())}) {
                bool const channels = layer.keepDimensions && x.rank() >= 3 && folds && !(*folds)[1];
                if (!format.isLinear() && !channels) continue;
                if (format.block != 1 && layer.operation == LogSum) continue; // the padding would not stay zero
                Label const label{DataType::Float32, format, Device::Cpu};
                double const bytes = static_cast<double>(bytesOf(x, label));
                Variant variant{.inputs = {label}, .outputs = {label}, .cost = 300 + memoryCost(bytes) / 2};
                addHostInputs(query.node, variant);
                offer.variants.push_back(storedAs(type, query, variant));
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) {
            return std::make_unique<ReduceExecutable>(inner, *as<Reduce>(*inner.node.layer));
        });
    }
};

constexpr FoldReduce kFoldReduce;

} // namespace

KernelList reduceKernels() {
    static Kernel const* const all[]{&kFoldReduce, &typedReduce()};
    return {Reduce::kKind, all};
}

} // namespace tenon::cpu
