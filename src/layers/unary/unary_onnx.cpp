// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "layers/elementwise/elementwise.h"
#include "onnx/importer.h"

#include <limits>

namespace tenon::onnx {
namespace {

Unary unary(PointwiseOp op) {
    Unary layer;
    layer.operation = op;
    return layer;
}

template <PointwiseOp kOp> std::vector<Tensor*> importUnary(NodeReader& node) {
    return {node.add(unary(kOp), {node.input(0)})};
}

/// Both infinities, only one of them, or (as the standard allows) none.
std::vector<Tensor*> importIsInf(NodeReader& node) {
    bool const negative = node.integer("detect_negative", 1) != 0;
    bool const positive = node.integer("detect_positive", 1) != 0;
    Tensor* const x = node.input(0);
    if (negative && positive) return {node.add(unary(PointwiseOp::IsInf), {x})};
    if (!negative && !positive) return {node.add(elementwise(PointwiseOp::Less), {x, x})}; // never
    float const infinity = std::numeric_limits<float>::infinity();
    Tensor* const wanted = node.constant(scalarOf(x->type, positive ? infinity : -infinity));
    return {node.add(elementwise(PointwiseOp::Equal), {x, wanted})};
}

} // namespace

ImporterList unaryImporters() {
    using enum PointwiseOp;
    static constexpr Importer all[] = {
        {"Exp", importUnary<Exp>},          {"Log", importUnary<Log>},     {"Sqrt", importUnary<Sqrt>},
        {"Reciprocal", importUnary<Recip>}, {"Abs", importUnary<Abs>},     {"Neg", importUnary<Neg>},
        {"Sin", importUnary<Sin>},          {"Cos", importUnary<Cos>},     {"Tan", importUnary<Tan>},
        {"Sinh", importUnary<Sinh>},        {"Cosh", importUnary<Cosh>},   {"Asin", importUnary<Asin>},
        {"Acos", importUnary<Acos>},        {"Atan", importUnary<Atan>},   {"Asinh", importUnary<Asinh>},
        {"Acosh", importUnary<Acosh>},      {"Atanh", importUnary<Atanh>}, {"Ceil", importUnary<Ceil>},
        {"Floor", importUnary<Floor>},      {"Erf", importUnary<Erf>},     {"Not", importUnary<Not>},
        {"Sign", importUnary<Sign>},        {"Round", importUnary<Round>}, {"IsInf", importIsInf},
        {"IsNaN", importUnary<IsNan>},
    };
    return all;
}

} // namespace tenon::onnx
