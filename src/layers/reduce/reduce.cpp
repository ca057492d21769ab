// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "base/error.h"
#include "graph/elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {

namespace layers {
LayerEntry reduceLayer() { return entryOf<Reduce>(); }
} // namespace layers

namespace {

using enum ReduceOperation;

constexpr std::string_view kOperations[]{"Sum", "Prod", "Max",       "Min",    "Avg",      "None",
                                         "L1",  "L2",   "SumSquare", "LogSum", "LogSumExp"};

void checkType(ReduceOperation operation, Operands const& in) {
    DataType const type = in[0].type;
    bool const extreme = operation == Max || operation == Min || operation == None;
    bool const logarithm = operation == LogSum || operation == LogSumExp || operation == L2;
    bool const right = isFloat(type) || (extreme ? isComputed(type)
                                                 : !logarithm && (type == DataType::Int32 || type == DataType::Int64));
    if (!right) fail(ErrorCode::InvalidArgument, "input 0 is ", type, ", which ", operation, " does not support");
}

/// The initial value of a fold, the accumulation of an element, and the final step. Floating point folds in double,
/// integers in uint64, which wraps around.
struct FloatFold {
    ReduceOperation operation;
    double count;
    double most = 0; // for LogSumExp, to avoid overflow

    double start() const {
        return operation == Prod ? 1 : operation == Max ? -INFINITY : operation == Min ? INFINITY : 0;
    }
    double take(double sum, double x) const {
        switch (operation) {
        case Prod: return sum * x;
        case Max: return std::isnan(x) || x > sum ? x : sum;
        case Min: return std::isnan(x) || x < sum ? x : sum;
        case L1: return sum + std::abs(x);
        case L2:
        case SumSquare: return sum + x * x;
        case LogSumExp: return sum + std::exp(x - most);
        case None: return x;
        case Sum:
        case Avg:
        case LogSum: break;
        }
        return sum + x;
    }
    double end(double sum) const {
        switch (operation) {
        case Avg: return sum / count;
        case L2: return std::sqrt(sum);
        case LogSum: return std::log(sum);
        case LogSumExp: return most + std::log(sum);
        case Sum:
        case Prod:
        case Max:
        case Min:
        case None:
        case L1:
        case SumSquare: break;
        }
        return sum;
    }
};

template <class T> T foldFloats(ReduceOperation operation, std::vector<T> const& elements) {
    FloatFold fold{operation, static_cast<double>(elements.size())};
    if (operation == LogSumExp) {
        double most = -INFINITY;
        for (T const x : elements) most = std::max(most, static_cast<double>(x));
        fold.most = std::isfinite(most) ? most : 0;
    }
    double sum = fold.start();
    for (T const x : elements) sum = fold.take(sum, static_cast<double>(x));
    return static_cast<T>(static_cast<float>(fold.end(sum)));
}

template <class T> T foldIntegers(ReduceOperation operation, std::vector<T> const& elements) {
    uint64_t sum = operation == Prod ? 1 : 0;
    T extreme = operation == Max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    for (T const x : elements) {
        auto const wide = static_cast<uint64_t>(x);
        extreme = operation == Max ? std::max(extreme, x) : std::min(extreme, x);
        if (operation == Prod)
            sum *= wide;
        else if (operation == L1)
            sum += x < T{} ? -wide : wide;
        else if (operation == SumSquare)
            sum += wide * wide;
        else
            sum += wide;
    }
    if (operation == Max || operation == Min) return extreme;
    if (operation == Avg)
        return elements.empty() ? T{}
                                : static_cast<T>(static_cast<int64_t>(sum) / static_cast<int64_t>(elements.size()));
    return static_cast<T>(sum);
}

/// The elements of X that fold into the element of Y at `at` (an index into X, zero along folded axes).
template <class T>
std::vector<T> elementsAt(std::span<T const> x, Dims const& dims, std::vector<bool> const& folds, Dims at) {
    Dims extents;
    Dims strides = rowMajorStrides(dims);
    int64_t start = 0;
    Dims folded;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        start += at[axis] * strides[axis];
        if (!folds[static_cast<size_t>(axis)]) continue;
        extents.push(dims[axis]);
        folded.push(strides[axis]);
    }
    std::vector<T> elements;
    Dims index = Dims::filled(extents.rank(), 0);
    for (int64_t i = 0; i < extents.volume(); ++i, nextIndex(index, extents)) {
        int64_t offset = start;
        for (int axis = 0; axis < index.rank(); ++axis) offset += index[axis] * folded[axis];
        elements.push_back(x[static_cast<size_t>(offset)]);
    }
    return elements;
}

/// The value to which known integers fold.
std::optional<Shape> foldedValues(ReduceOperation operation, Operand const& x) {
    if (!x.values || x.shape.size() != 1 || x.values->empty()) return std::nullopt;
    DimExpr all = x.values->front();
    for (size_t i = 1; i < x.values->size(); ++i) {
        DimExpr const& next = (*x.values)[i];
        if (operation == Sum)
            all = all + next;
        else if (operation == Prod)
            all = all * next;
        else if (operation == Max)
            all = max(all, next);
        else if (operation == Min)
            all = min(all, next);
        else
            return std::nullopt;
    }
    return Shape{all};
}

std::vector<bool> masked(std::vector<int64_t> const& axes, int rank) {
    std::vector<bool> folds(static_cast<size_t>(rank), axes.empty());
    for (int64_t const axis : axes) {
        auto const at = static_cast<size_t>(resolveAxis(axis, rank));
        if (folds[at]) fail(ErrorCode::InvalidArgument, "axes [", joined(axes), "] name axis ", at, " twice");
        folds[at] = true;
    }
    return folds;
}

/// The shape of Y if the axes are known at run time only.
Shape openShape(Reduce const& layer, Operands const& in) {
    int const rank = in.rank(Reduce::kX);
    int const count = axisCount(in, Reduce::kAxes, rank);
    if (count != rank) return unknownShape(in, layer.keepDimensions ? rank : rank - count);
    return Shape(static_cast<size_t>(layer.keepDimensions ? rank : 0), 1);
}

} // namespace

std::span<std::string_view const> names(ReduceOperation) { return kOperations; }

std::string Reduce::inputName(int input) const { return input == kAxes ? "axes" : Layer::inputName(input); }

std::optional<std::vector<bool>> Reduce::folds(Operands const& in) const {
    int const rank = in.rank(kX);
    if (operation == None) return std::vector<bool>(static_cast<size_t>(rank), false);
    if (!in.has(kAxes)) return masked(axes, rank);
    auto const listed = axesIn(in, kAxes, rank);
    return listed ? std::optional(masked({listed->begin(), listed->end()}, rank)) : std::nullopt;
}

// X [d0,…,dn], axes? [n] → Y [the axes that do not fold, and 1 for the others]
std::vector<Result> Reduce::infer(Operands const& in) const {
    in.expectCount(1, 2).expectRank(kX, 0, Dims::kMaxRank);
    checkType(operation, in);
    auto const folding = folds(in);
    if (!folding) return {{in[kX].type, openShape(*this, in)}};
    Shape shape;
    for (size_t axis = 0; axis < folding->size(); ++axis) {
        if (!(*folding)[axis])
            shape.push_back(in[kX].shape[axis]);
        else if (keepDimensions)
            shape.emplace_back(1);
    }
    return {{in[kX].type, shape, operation == None ? in[kX].values : foldedValues(operation, in[kX])}};
}

void Reduce::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& dims = in[0].dims;
    auto const folding = folds(operandsOf(in)).value();
    Dims kept = dims;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        if (folding[static_cast<size_t>(axis)]) kept[axis] = 1;
    }
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        Dims at = Dims::filled(kept.rank(), 0);
        for (T& y : out[0].as<T>()) {
            auto const elements = elementsAt<T>(in[0].as<T>(), dims, folding, at);
            if constexpr (std::is_integral_v<T>)
                y = operation == None ? elements[0] : foldIntegers(operation, elements);
            else
                y = foldFloats(operation, elements);
            nextIndex(at, kept);
        }
    });
}

} // namespace tenon
