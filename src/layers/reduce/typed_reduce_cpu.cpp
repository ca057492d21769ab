// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fold_loops.h"
#include "backends/cpu/pointwise_loops.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/reduce/fold_plan_cpu.h"
#include "layers/reduce/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tenon::cpu {
namespace {

using enum ReduceOperation;

/// y = m + log(sum of exp(x - m)), m the maximum x, to avoid overflow.
class LogSumExpExecutable final : public Executable {
public:
    explicit LogSumExpExecutable(PrepareArgs const& args) : plan_(args) {}

    void run(Pointers const& pointers) override {
        plan_.settle(pointers);
        auto const* x = static_cast<float const*>(pointers.inputs[0]);
        auto* y = static_cast<float*>(pointers.outputs[0]);
        parallelFor(plan_->items(), plan_->grain(4096), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                auto const item = plan_->item(i);
                if (plan_->lanes == 1)
                    y[item.y] = ofRuns(x + item.x);
                else
                    ofLanes(x + item.x, y + item.y, item.lanes);
            }
        });
    }

private:
    static float shiftOf(float most) { return std::isfinite(most) ? most : 0; }

    float ofRuns(float const* x) const {
        float most = -INFINITY;
        for (int64_t const offset : plan_->folded) {
            float const part = folds_.run[static_cast<size_t>(Fold::Max)](x + offset, plan_->rows);
            folds_.rows[static_cast<size_t>(Fold::Max)](&most, &part, 1, 1, 1);
        }
        float const shift = shiftOf(most);
        std::array<float, kTile> tile;
        double sum = 0;
        for (int64_t const offset : plan_->folded) {
            for (int64_t at = 0; at < plan_->rows; at += kTile) {
                int64_t const count = std::min(kTile, plan_->rows - at);
                float const* const part = x + offset + at;
                for (int64_t i = 0; i < count; ++i) tile[static_cast<size_t>(i)] = part[i] - shift;
                exp(tile.data(), count);
                sum += static_cast<double>(folds_.run[static_cast<size_t>(Fold::Sum)](tile.data(), count));
            }
        }
        return shift + static_cast<float>(std::log(sum));
    }

    void ofLanes(float const* x, float* y, int64_t lanes) const {
        std::fill_n(y, lanes, -INFINITY);
        for (int64_t const offset : plan_->folded)
            folds_.rows[static_cast<size_t>(Fold::Max)](y, x + offset, plan_->rows, plan_->lanes, lanes);
        for (int64_t l = 0; l < lanes; ++l) y[l] = shiftOf(y[l]);
        std::array<double, kMostLanes> sums;
        std::array<float, kMostLanes> tile;
        std::fill_n(sums.data(), lanes, 0.0);
        for (int64_t const offset : plan_->folded) {
            for (int64_t row = 0; row < plan_->rows; ++row) {
                float const* const part = x + offset + row * plan_->lanes;
                for (int64_t l = 0; l < lanes; ++l) tile[static_cast<size_t>(l)] = part[l] - y[l];
                exp(tile.data(), lanes);
                for (size_t l = 0; l < static_cast<size_t>(lanes); ++l) sums[l] += static_cast<double>(tile[l]);
            }
        }
        for (int64_t l = 0; l < lanes; ++l) y[l] += static_cast<float>(std::log(sums[static_cast<size_t>(l)]));
    }

    void exp(float* x, int64_t count) const { steps_[PointwiseOp::Exp](x, x, x, 0, 0, count); }

    PlannedFold plan_;
    FoldLoops const& folds_ = bestLoops<FoldLoops>();
    PointwiseLoops const& steps_ = bestLoops<PointwiseLoops>();
};

/// The initial value of a fold of integers, the accumulation of an element, and the final step. Sums wrap around.
template <class T, ReduceOperation operation> struct IntegerFold {
    static constexpr bool kPicks = operation == Max || operation == Min || operation == None;
    using Sum = std::conditional_t<kPicks, T, uint64_t>;

    static constexpr Sum kStart = !kPicks            ? (operation == Prod ? 1 : 0)
                                  : operation == Min ? static_cast<Sum>(std::numeric_limits<T>::max())
                                                     : static_cast<Sum>(std::numeric_limits<T>::lowest());

    static Sum take(Sum sum, T x) {
        auto const wide = static_cast<uint64_t>(x);
        if constexpr (operation == Min)
            return std::min(sum, x);
        else if constexpr (kPicks)
            return std::max(sum, x);
        else if constexpr (operation == Prod)
            return sum * wide;
        else if constexpr (operation == L1)
            return sum + (x < T{} ? -wide : wide);
        else if constexpr (operation == SumSquare)
            return sum + wide * wide;
        else
            return sum + wide;
    }
    static T end(Sum sum, int64_t count) {
        return static_cast<T>(operation == Avg ? static_cast<Sum>(static_cast<int64_t>(sum) / count) : sum);
    }
};

template <class T, ReduceOperation operation> class IntegerExecutable final : public Executable {
public:
    explicit IntegerExecutable(PrepareArgs const& args) : plan_(args) {}

    void run(Pointers const& pointers) override {
        plan_.settle(pointers);
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        parallelFor(plan_->items(), plan_->grain(16384), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                auto const item = plan_->item(i);
                fold(x + item.x, y + item.y, item.lanes);
            }
        });
    }

private:
    using Folding = IntegerFold<T, operation>;
    using Sum = typename Folding::Sum;

    void fold(T const* x, T* y, int64_t lanes) const {
        std::array<Sum, kMostLanes> sums;
        std::fill_n(sums.data(), lanes, Folding::kStart);
        for (int64_t const offset : plan_->folded) {
            if (plan_->lanes == 1)
                foldRun(x + offset, sums[0]);
            else
                foldRows(x + offset, sums.data(), lanes);
        }
        for (int64_t l = 0; l < lanes; ++l) y[l] = Folding::end(sums[static_cast<size_t>(l)], plan_->count);
    }

    void foldRun(T const* x, Sum& into) const {
        Sum sum = into;
        for (int64_t i = 0; i < plan_->rows; ++i) sum = Folding::take(sum, x[i]);
        into = sum;
    }

    void foldRows(T const* x, Sum* sums, int64_t lanes) const {
        for (int64_t row = 0; row < plan_->rows; ++row, x += plan_->lanes) {
            for (int64_t l = 0; l < lanes; ++l) sums[l] = Folding::take(sums[l], x[l]);
        }
    }

    PlannedFold plan_;
};

template <class T> std::unique_ptr<Executable> prepareInteger(PrepareArgs const& args) {
    switch (as<Reduce>(*args.node.layer)->operation) {
    case Sum: return std::make_unique<IntegerExecutable<T, Sum>>(args);
    case Prod: return std::make_unique<IntegerExecutable<T, Prod>>(args);
    case Max:
    case None: return std::make_unique<IntegerExecutable<T, Max>>(args);
    case Min: return std::make_unique<IntegerExecutable<T, Min>>(args);
    case Avg: return std::make_unique<IntegerExecutable<T, Avg>>(args);
    case L1: return std::make_unique<IntegerExecutable<T, L1>>(args);
    case SumSquare: return std::make_unique<IntegerExecutable<T, SumSquare>>(args);
    case L2:
    case LogSum:
    case LogSumExp: break;
    }
    return nullptr; // not offered
}

bool foldsIntegers(ReduceOperation operation) {
    return operation != L2 && operation != LogSum && operation != LogSumExp;
}

class TypedReduce final : public Kernel {
public:
    std::string_view name() const override { return "typed_folds"; }

    // linear
    Offer offer(KernelQuery const& query) const override {
        auto const operation = as<Reduce>(*query.node.layer)->operation;
        DataType const type = query.node.input(0)->type;
        Dims const& x = query.inputs[0];
        if (x.volume() == 0) return Offer::refuse("does not support empty tensors");
        bool const isFloating = isFloat(type);
        if (isFloating ? operation != LogSumExp : !foldsIntegers(operation) || !isComputed(type))
            return Offer::refuse(text("does not support ", operation, " of ", type));
        return offerTypes(query, *query.node.input(0), [&](DataType stored, Offer& offer) {
            Label const label{isFloating ? DataType::Float32 : stored, Format::linear(), Device::Cpu};
            double const cost = 300 + static_cast<double>(x.volume()) * (isFloating ? 1.0 : 0.3);
            Variant variant{.inputs = {label}, .outputs = {label}, .cost = cost};
            addHostInputs(query.node, variant);
            offer.variants.push_back(isFloating ? storedAs(stored, query, variant) : variant);
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        switch (args.variant.inputs[0].type) {
        case DataType::Int8: return prepareInteger<int8_t>(args);
        case DataType::UInt8:
        case DataType::Bool: return prepareInteger<uint8_t>(args);
        case DataType::Int32: return prepareInteger<int32_t>(args);
        case DataType::Int64: return prepareInteger<int64_t>(args);
        case DataType::Float32:
        case DataType::Float16:
        case DataType::BFloat16:
        case DataType::Float8:
        case DataType::Int4:
        case DataType::Float4:
        case DataType::E8M0: break;
        }
        return throughFloat(args,
                            [](PrepareArgs const& inner) { return std::make_unique<LogSumExpExecutable>(inner); });
    }
};

} // namespace

Kernel const& typedReduce() {
    static constexpr TypedReduce kernel;
    return kernel;
}

} // namespace tenon::cpu
