// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/step_kernels.h"
#include "base/parallel.h"
#include "base/text.h"
#include "graph/memory_axes.h"
#include "steps/integer_step.h"

#include <cmath>
#include <utility>

namespace tenon::cpu {
namespace {

/// y[i] = op(a[i * aStride], b[i * bStride])
struct Run {
    void const* a;
    void const* b;
    void* y;
    int64_t aStride;
    int64_t bStride;
    int64_t count;
};
using RunLoop = void (*)(PointwiseStep const& step, Run const& run);

/// One operation on operands of one type, all compile-time constants except the bounds of Clip.
template <class X, PointwiseOp op> class Operation {
public:
    using Result = std::conditional_t<givesBool(op), bool, X>;

    explicit Operation(PointwiseStep const& step) {
        if constexpr (op == PointwiseOp::Clip) integers_ = {nearest<Number>(step.alpha), nearest<Number>(step.beta)};
    }

    Result operator()(X a, X b) const {
        if constexpr (kIntegers)
            return static_cast<Result>(integers_(op, a, b));
        else if constexpr (op == PointwiseOp::Equal)
            return a == b;
        else if constexpr (op == PointwiseOp::Greater)
            return a > b;
        else if constexpr (op == PointwiseOp::Less)
            return a < b;
        else if constexpr (op == PointwiseOp::IsNan)
            return std::isnan(static_cast<float>(a));
        else
            return std::isinf(static_cast<float>(a));
    }

private:
    static constexpr bool kIntegers = std::is_integral_v<X>;
    struct None {};
    using Number = std::conditional_t<std::is_same_v<X, bool>, uint8_t, X>;
    std::conditional_t<kIntegers, IntegerStep<Number>, None> integers_{};
};

template <class X, PointwiseOp op> void loop(PointwiseStep const& step, Run const& run) {
    auto const* a = static_cast<X const*>(run.a);
    auto const* b = static_cast<X const*>(run.b);
    Operation<X, op> const operation(step);
    auto* y = static_cast<typename Operation<X, op>::Result*>(run.y);
    if (run.aStride == 1 && run.bStride == 1) {
        for (int64_t i = 0; i < run.count; ++i) y[i] = operation(a[i], b[i]);
    } else if (run.aStride == 1 && run.bStride == 0) {
        X const fixed = *b;
        for (int64_t i = 0; i < run.count; ++i) y[i] = operation(a[i], fixed);
    } else {
        for (int64_t i = 0; i < run.count; ++i) y[i] = operation(a[i * run.aStride], b[i * run.bStride]);
    }
}

/// Of floating point, only comparisons are done here; everything else is done in tiles.
template <class X> constexpr bool hasLoop(PointwiseOp op) {
    if (std::is_integral_v<X>) return hasIntegerStep(op) && (givesBool(op) || !std::is_same_v<X, bool>);
    using enum PointwiseOp;
    return op == Equal || op == Greater || op == Less || op == IsNan || op == IsInf;
}

template <class X, PointwiseOp op> constexpr RunLoop loopOrNull() {
    if constexpr (hasLoop<X>(op))
        return loop<X, op>;
    else
        return nullptr;
}

template <class X, size_t... ops> RunLoop loopOf(PointwiseOp op, std::index_sequence<ops...>) {
    static constexpr RunLoop kLoops[]{loopOrNull<X, static_cast<PointwiseOp>(ops)>()...};
    return kLoops[static_cast<size_t>(op)];
}

/// Null if there is none.
RunLoop loopOf(PointwiseOp op, DataType type) {
    if (!isComputed(type)) return nullptr;
    return dispatch(type,
                    [&]<class X>(TypeTag<X>) { return loopOf<X>(op, std::make_index_sequence<kPointwiseOps>()); });
}

class TypedExecutable final : public Executable {
public:
    TypedExecutable(PointwiseStep const& step, PrepareArgs const& args)
        : step_(step), loop_(loopOf(step.op, args.variant.inputs[0].type)),
          xBytes_(bytesOf(args.variant.inputs[0].type, 1)), yBytes_(bytesOf(args.variant.outputs[0].type, 1)),
          hasB_(args.inputs.size() == 2), volume_(args.outputs[0].volume()) {
        std::vector<OperandView> views;
        for (Dims const& dims : args.inputs) views.push_back({dims, Format::linear()});
        axes_ = memoryAxes(args.outputs[0], Format::linear(), views);
    }

    void run(Pointers const& pointers) override {
        if (volume_ == 0) return;
        int const last = axes_.extents.rank() - 1;
        int64_t const inner = last < 0 ? 1 : axes_.extents[last];
        if (inner == volume_)
            return parallelFor(inner, kGrain, [&](int64_t begin, int64_t end) { runRow(pointers, 0, begin, end); });
        parallelFor(volume_ / inner, std::max<int64_t>(kGrain / inner, 1), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) runRow(pointers, row, 0, inner);
        });
    }

private:
    static constexpr int64_t kGrain = 16 * 1024;

    void runRow(Pointers const& pointers, int64_t row, int64_t begin, int64_t end) const {
        int const last = axes_.extents.rank() - 1;
        int const b = hasB_ ? 1 : 0;
        int64_t const inner = last < 0 ? 1 : axes_.extents[last];
        Run const run{at(pointers.inputs[0], 0, row, begin),
                      at(pointers.inputs[b], b, row, begin),
                      static_cast<std::byte*>(pointers.outputs[0]) + static_cast<size_t>(row * inner + begin) * yBytes_,
                      last < 0 ? 0 : axes_.strides[0][last],
                      last < 0 ? 0 : axes_.strides[static_cast<size_t>(b)][last],
                      end - begin};
        loop_(step_, run);
    }

    void const* at(void const* data, int operand, int64_t row, int64_t first) const {
        Dims const& strides = axes_.strides[static_cast<size_t>(operand)];
        int const last = axes_.extents.rank() - 1;
        int64_t offset = last < 0 ? 0 : first * strides[last];
        for (int axis = last - 1; axis >= 0; --axis) {
            offset += row % axes_.extents[axis] * strides[axis];
            row /= axes_.extents[axis];
        }
        return static_cast<std::byte const*>(data) + static_cast<size_t>(offset) * xBytes_;
    }

    PointwiseStep step_;
    RunLoop loop_;
    size_t xBytes_;
    size_t yBytes_;
    bool hasB_;
    int64_t volume_;
    MemoryAxes axes_;
};

} // namespace

Offer TypedKernel::offer(KernelQuery const& query) const {
    DataType const type = query.typesOf(*query.node.input(0)).front();
    auto const step = oneStepOf(*query.node.layer);
    if (!step) return Offer::refuse("supports a single step only");
    if (loopOf(step->op, type) == nullptr) return Offer::refuse(text("has no loop for ", step->op, " of ", type));
    Variant variant;
    double bytes = 0;
    for (Dims const& dims : query.inputs) {
        variant.inputs.push_back({type, Format::linear(), Device::Cpu});
        bytes += static_cast<double>(bytesOf(type, dims.volume()));
    }
    variant.outputs = {{query.node.output()->type, Format::linear(), Device::Cpu}};
    bytes += static_cast<double>(bytesOf(query.node.output()->type, query.outputs[0].volume()));
    variant.cost = 300 + memoryCost(bytes) + static_cast<double>(query.outputs[0].volume()) * 0.5;
    return {{variant}, {}};
}

std::unique_ptr<Executable> TypedKernel::prepare(PrepareArgs const& args) const {
    return std::make_unique<TypedExecutable>(*oneStepOf(*args.node.layer), args);
}

} // namespace tenon::cpu
