// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/element_bounds.h"

#include "base/error.h"
#include "layers/activation/activation.h"
#include "layers/cumulative/cumulative.h"
#include "layers/non_zero/non_zero.h"
#include "layers/pointwise/pointwise.h"
#include "layers/reduce/reduce.h"
#include "layers/shape/shape.h"
#include "layers/slice/slice.h"
#include "layers/top_k/top_k.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tenon {
namespace {

constexpr Interval kAll{INT64_MIN, INT64_MAX};
constexpr Interval kFlags{0, 1};

/// All results of an operation that is monotonic in each operand; all numbers if one does not fit.
Interval combined(DimExpr::Op op, Interval const& a, Interval const& b) {
    if (a == kAll || b == kAll) return kAll;
    try {
        Interval all{INT64_MAX, INT64_MIN};
        for (int64_t const x : {a.least, a.most}) {
            for (int64_t const y : {b.least, b.most}) {
                int64_t const value = DimExpr::apply(op, x, y).constant();
                all = {std::min(all.least, value), std::max(all.most, value)};
            }
        }
        return all;
    } catch (Error const&) {
        return kAll;
    }
}

/// The integers around some numbers.
Interval around(double least, double most) {
    constexpr double kExact = 9007199254740992; // 2^53
    return {least >= -kExact ? static_cast<int64_t>(std::floor(std::min(least, kExact))) : INT64_MIN,
            most <= kExact ? static_cast<int64_t>(std::ceil(std::max(most, -kExact))) : INT64_MAX};
}

Interval negated(Interval const& a) { return combined(DimExpr::Op::Difference, {0, 0}, a); }

Interval magnitude(Interval const& a) {
    Interval const other = negated(a);
    return {0, std::max(std::max(a.most, other.most), int64_t{0})};
}

/// An operation on elements in these intervals.
Interval resultOf(PointwiseStep const& step, Interval const& a, Interval const& b) {
    using enum PointwiseOp;
    switch (step.op) {
    case Relu: return {std::max<int64_t>(a.least, 0), std::max<int64_t>(a.most, 0)};
    case Clip: {
        Interval const limits = around(step.alpha, step.beta);
        return {std::clamp(a.least, limits.least, std::max(limits.least, limits.most)),
                std::clamp(a.most, limits.least, std::max(limits.least, limits.most))};
    }
    case Sigmoid:
    case HardSigmoid: return kFlags;
    case Tanh:
    case Sign: return {-1, 1};
    case Abs: return magnitude(a);
    case Neg: return negated(a);
    case Ceil:
    case Floor:
    case Round: return a;
    case Sum: return combined(DimExpr::Op::Sum, a, b);
    case Sub: return combined(DimExpr::Op::Difference, a, b);
    case Prod: return combined(DimExpr::Op::Product, a, b);
    case Max: return {std::max(a.least, b.least), std::max(a.most, b.most)};
    case Min: return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case Div:
    case FloorDiv: // dividing by 1 or more makes nothing larger
        return b.least >= 1 ? Interval{std::min<int64_t>(a.least, 0), std::max<int64_t>(a.most, 0)} : kAll;
    case Mod: return b.least >= 1 ? Interval{0, b.most} : kAll;
    default: return givesBool(step.op) ? kFlags : kAll;
    }
}

Interval ofLiteral(Literal const& literal) {
    constexpr int64_t kMost = 4096; // maximum number of inspected elements
    if (literal.dims().volume() == 0) return {0, 0};
    if (literal.dims().volume() > kMost) return kAll;
    if (!isFloat(literal.type())) {
        auto const [least, most] = std::ranges::minmax(literal.toInt64());
        return {least, most};
    }
    auto const elements = literal.toFloat();
    if (std::ranges::any_of(elements, [](float one) { return std::isnan(one); })) return kAll;
    auto const [least, most] = std::ranges::minmax(elements);
    return around(least, most);
}

/// The values of an interval that a tensor of its type can store: integers wrap around, and large floating point
/// numbers are rounded.
Interval heldBy(Tensor const& tensor, Interval const& is) {
    auto const within = [&](int64_t least, int64_t most) { return is.least >= least && is.most <= most; };
    constexpr int64_t kExactFloat = int64_t{1} << 24;
    constexpr int64_t kExactHalf = int64_t{1} << 8; // also of bfloat16
    switch (tensor.type) {
    case DataType::Bool: return kFlags;
    case DataType::Int8: return within(INT8_MIN, INT8_MAX) ? is : Interval{INT8_MIN, INT8_MAX};
    case DataType::UInt8: return within(0, UINT8_MAX) ? is : Interval{0, UINT8_MAX};
    case DataType::Int32: return within(INT32_MIN, INT32_MAX) ? is : Interval{INT32_MIN, INT32_MAX};
    case DataType::Int64: return is;
    default: break;
    }
    int64_t const exact = tensor.label.type == DataType::Float32 ? kExactFloat : kExactHalf;
    return {is.least >= -exact ? is.least : INT64_MIN, is.most <= exact ? is.most : INT64_MAX};
}

/// Layers whose outputs contain elements of input 0 only.
bool onlyMoves(Node const& node) {
    static std::set<std::string_view> const kinds{"Cast",     "Expand",  "Gather",  "Identity",
                                                  "Reformat", "Shuffle", "Squeeze", "Unsqueeze"};
    return kinds.contains(node.kind());
}

} // namespace

Interval ElementBounds::of(Tensor const& tensor) const {
    if (Literal const* const literal = tensor.literal()) return heldBy(tensor, ofLiteral(*literal));
    auto const found = known_.find(&tensor);
    return found == known_.end() ? heldBy(tensor, kAll) : found->second;
}

void ElementBounds::learn(Node const& node) {
    if (node.layer->constant()) return;
    auto const found = outputsOf(node);
    for (size_t i = 0; i < std::min(found.size(), node.outputs().size()); ++i)
        known_[node.outputs()[i]] = heldBy(*node.outputs()[i], found[i]);
}

Interval ElementBounds::countOf(Shape const& axes) const {
    Interval count{1, 1};
    for (DimExpr const& axis : axes) count = combined(DimExpr::Op::Product, count, ofExtent_(axis).value_or(kAll));
    return {0, std::max<int64_t>(count.most, 0)};
}

Interval ElementBounds::spanOfInputs(Node const& node, size_t first) const {
    std::optional<Interval> all;
    for (size_t i = first; i < node.inputs().size(); ++i) {
        Interval const one = node.inputs()[i] ? of(*node.inputs()[i]) : Interval{0, 0};
        all = all ? spanOf(*all, one) : one;
    }
    return all.value_or(kAll);
}

std::vector<Interval> ElementBounds::outputsOf(Node const& node) const {
    if (node.inputs().empty() || node.inputs()[0] == nullptr) return {};
    Tensor const& x = *node.inputs()[0];
    if (onlyMoves(node)) return {of(x)};
    if (node.kind() == "Concatenation") return {spanOfInputs(node, 0)};
    if (node.kind() == "Select") return {spanOfInputs(node, 1)};
    if (as<Slice>(*node.layer)) {
        Tensor const* const fill = node.input(Slice::kFill);
        return {spanOf(of(x), fill ? of(*fill) : Interval{0, 0})};
    }
    if (as<Reduce>(*node.layer)) return {ofReduced(node)};
    if (auto const* cumulative = as<Cumulative>(*node.layer)) {
        if (cumulative->operation != Cumulative::Operation::Sum) return {};
        return {combined(DimExpr::Op::Product, countOf(x.shape), spanOf(of(x), {0, 0}))};
    }
    Interval places{0, 0};
    for (DimExpr const& extent : x.shape) places = spanOf(places, ofExtent_(extent).value_or(kAll));
    if (as<ShapeOf>(*node.layer)) return {places};
    if (as<NonZero>(*node.layer)) return {places, countOf(x.shape)};
    if (as<TopK>(*node.layer)) return {of(x), places};
    return {ofSteps(node)};
}

Interval ElementBounds::ofReduced(Node const& node) const {
    auto const& layer = *as<Reduce>(*node.layer);
    Tensor const& x = *node.input(0);
    auto const folds = layer.folds(operandsOf(node));
    Shape folded;
    bool mayBeNone = false;
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
        if (folds && !(*folds)[axis]) continue;
        folded.push_back(x.shape[axis]);
        mayBeNone = mayBeNone || ofExtent_(x.shape[axis]).value_or(kAll).least < 1;
    }
    switch (layer.operation) {
    case ReduceOperation::Sum: return combined(DimExpr::Op::Product, countOf(folded), spanOf(of(x), {0, 0}));
    case ReduceOperation::Max:
    case ReduceOperation::Min:
    case ReduceOperation::Avg: return mayBeNone ? kAll : of(x);
    default: return kAll;
    }
}

Interval ElementBounds::ofSteps(Node const& node) const {
    auto const* const pointwise = as<Pointwise>(*node.layer);
    auto const one = oneStepOf(*node.layer);
    if (!pointwise && !one) return kAll;
    std::vector<Interval> values;
    for (Tensor const* input : node.inputs()) values.push_back(input ? of(*input) : kAll);
    auto const valueOf = [&](int64_t operand) {
        return operand >= 0 && operand < std::ssize(values) ? values[static_cast<size_t>(operand)] : kAll;
    };
    auto const steps = pointwise ? pointwise->steps : std::vector<PointwiseStep>{*one};
    for (PointwiseStep const& step : steps) values.push_back(resultOf(step, valueOf(step.a), valueOf(step.b)));
    return values.back();
}

} // namespace tenon
