// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "steps/step_values.h"

#include "graph/elements.h"

namespace tenon {
namespace {

using Op = DimExpr::Op;

/// Only divisors known to be positive. DimExpr's division rounds down, so other quotients are known only for
/// nonnegative dividends.
std::optional<DimExpr> divided(PointwiseOp op, DimExpr const& a, DimExpr const& b) {
    bool const positive = b.isConstant() ? b.constant() > 0 : b.least() >= 0;
    bool const floors = op == PointwiseOp::FloorDiv || op == PointwiseOp::Mod;
    if (!positive || (!floors && a.least() < 0)) return std::nullopt;
    DimExpr const quotient = floorDiv(a, b);
    bool const rest = op == PointwiseOp::Mod || op == PointwiseOp::Fmod;
    return rest ? a - quotient * b : quotient;
}

std::optional<DimExpr> symbolic(PointwiseOp op, DimExpr const& a, DimExpr const& b) {
    switch (op) {
    case PointwiseOp::Relu: return max(a, 0);
    case PointwiseOp::Abs: return max(a, DimExpr(0) - a);
    case PointwiseOp::Neg: return DimExpr(0) - a;
    case PointwiseOp::Not: return DimExpr::apply(Op::Equal, a, 0);
    case PointwiseOp::Sum: return a + b;
    case PointwiseOp::Prod:
    case PointwiseOp::And: return a * b;
    case PointwiseOp::Max:
    case PointwiseOp::Or: return max(a, b);
    case PointwiseOp::Min: return min(a, b);
    case PointwiseOp::Sub: return a - b;
    case PointwiseOp::Div:
    case PointwiseOp::FloorDiv:
    case PointwiseOp::Mod:
    case PointwiseOp::Fmod: return divided(op, a, b);
    case PointwiseOp::Equal: return DimExpr::apply(Op::Equal, a, b);
    case PointwiseOp::Greater: return DimExpr::apply(Op::Less, b, a);
    case PointwiseOp::Less: return DimExpr::apply(Op::Less, a, b);
    default: return std::nullopt;
    }
}

std::optional<DimExpr> element(PointwiseStep const& step, DimExpr const& a, DimExpr const& b) {
    if (a.isConstant() && b.isConstant()) return compute(step, a.constant(), b.constant());
    return symbolic(step.op, a, b);
}

struct KnownOperand {
    Shape values;
    Dims strides;

    DimExpr const& at(Dims const& index) const {
        int64_t offset = 0;
        for (int axis = 0; axis < index.rank(); ++axis) offset += index[axis] * strides[axis];
        return values[static_cast<size_t>(offset)];
    }
};

} // namespace

std::optional<Shape> stepValues(PointwiseStep const& step, Operands const& in, Shape const& shape) {
    if (!isConstant(shape) || toDims(shape).volume() > kMostValues) return std::nullopt;
    Dims const dims = toDims(shape);
    std::vector<KnownOperand> operands;
    for (int i = 0; i < operandCount(step.op); ++i) {
        auto values = valuesIn(in[i]);
        if (!values) return std::nullopt;
        operands.push_back({std::move(*values), broadcastStrides(toDims(in[i].shape), dims)});
    }
    Shape result;
    Dims index = Dims::filled(dims.rank(), 0);
    for (int64_t i = 0; i < dims.volume(); ++i, nextIndex(index, dims)) {
        auto value = element(step, operands.front().at(index), operands.back().at(index));
        if (!value) return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

} // namespace tenon
