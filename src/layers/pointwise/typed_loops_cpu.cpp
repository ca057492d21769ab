// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/cpu_backend.h"
#include "base/parallel.h"
#include "base/text.h"
#include "layers/pointwise/memory_axes.h"
#include "layers/pointwise/pointwise_cpu.h"

#include <algorithm>

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
using RunLoop = void (*)(Run const& run);

template <class X, class Y, class Operation> void loop(Run const& run) {
    auto const* a = static_cast<X const*>(run.a);
    auto const* b = static_cast<X const*>(run.b);
    auto* y = static_cast<Y*>(run.y);
    Operation const operation;
    if (run.aStride == 1 && run.bStride == 1) {
        for (int64_t i = 0; i < run.count; ++i) y[i] = static_cast<Y>(operation(a[i], b[i]));
    } else if (run.aStride == 1 && run.bStride == 0) {
        X const fixed = *b;
        for (int64_t i = 0; i < run.count; ++i) y[i] = static_cast<Y>(operation(a[i], fixed));
    } else {
        for (int64_t i = 0; i < run.count; ++i)
            y[i] = static_cast<Y>(operation(a[i * run.aStride], b[i * run.bStride]));
    }
}

// Arithmetic in unsigned numbers wraps around, in signed ones it must not.
template <class Combine> struct Wrapping {
    template <class X> X operator()(X a, X b) const {
        using Unsigned = std::make_unsigned_t<X>;
        return static_cast<X>(Combine{}(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
    }
};
struct Greatest {
    template <class X> X operator()(X a, X b) const { return std::max(a, b); }
};
struct Least {
    template <class X> X operator()(X a, X b) const { return std::min(a, b); }
};
struct Negation {
    template <class X> bool operator()(X a, X) const { return !a; }
};
struct Unlike {
    template <class X> bool operator()(X a, X b) const { return a != b; }
};
struct Nan {
    template <class X> bool operator()(X a, X) const { return a != a; }
};

template <class X> RunLoop comparison(PointwiseOp op) {
    switch (op) {
    case PointwiseOp::Equal: return loop<X, bool, std::equal_to<>>;
    case PointwiseOp::Greater: return loop<X, bool, std::greater<>>;
    case PointwiseOp::Less: return loop<X, bool, std::less<>>;
    default: return nullptr;
    }
}

template <class X> RunLoop arithmetic(PointwiseOp op) {
    switch (op) {
    case PointwiseOp::Sum: return loop<X, X, Wrapping<std::plus<>>>;
    case PointwiseOp::Sub: return loop<X, X, Wrapping<std::minus<>>>;
    case PointwiseOp::Prod: return loop<X, X, Wrapping<std::multiplies<>>>;
    case PointwiseOp::Max: return loop<X, X, Greatest>;
    case PointwiseOp::Min: return loop<X, X, Least>;
    default: return comparison<X>(op);
    }
}

RunLoop logical(PointwiseOp op) {
    switch (op) {
    case PointwiseOp::And: return loop<bool, bool, std::logical_and<>>;
    case PointwiseOp::Or: return loop<bool, bool, std::logical_or<>>;
    case PointwiseOp::Xor: return loop<bool, bool, Unlike>;
    case PointwiseOp::Equal: return loop<bool, bool, std::equal_to<>>;
    case PointwiseOp::Not: return loop<bool, bool, Negation>;
    default: return nullptr;
    }
}

/// Null where the reference has to do.
RunLoop loopOf(PointwiseOp op, DataType type) {
    switch (type) {
    case DataType::Float32: return op == PointwiseOp::IsNan ? loop<float, bool, Nan> : comparison<float>(op);
    case DataType::Int32: return arithmetic<int32_t>(op);
    case DataType::Int64: return arithmetic<int64_t>(op);
    case DataType::Bool: return logical(op);
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Float8:
    case DataType::Int4:
    case DataType::Int8:
    case DataType::UInt8: return nullptr;
    }
    return nullptr;
}

class TypedExecutable final : public Executable {
public:
    TypedExecutable(RunLoop loop, PrepareArgs const& args)
        : loop_(loop), xBytes_(bytesOf(args.variant.inputs[0].type, 1)),
          yBytes_(bytesOf(args.variant.outputs[0].type, 1)), hasB_(args.inputs.size() == 2),
          volume_(args.outputs[0].volume()) {
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
        loop_(run);
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

    RunLoop loop_;
    size_t xBytes_;
    size_t yBytes_;
    bool hasB_;
    int64_t volume_;
    MemoryAxes axes_;
};

} // namespace

Offer TypedKernel::offer(KernelQuery const& query) const {
    DataType const type = query.node.input(0)->type;
    PointwiseOp const op = stepOf_(*query.node.layer).op;
    if (loopOf(op, type) == nullptr) return Offer::refuse(text("has no loop for ", op, " of ", type));
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
    PointwiseOp const op = stepOf_(*args.node.layer).op;
    return std::make_unique<TypedExecutable>(loopOf(op, args.node.input(0)->type), args);
}

} // namespace tenon::cpu
