// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/cast_as.h"

#include "layers/cast/cast.h"
#include "layers/elementwise/elementwise.h"
#include "layers/quantize/quantize.h"
#include "onnx/types.h"

namespace tenon::onnx {
namespace {

Tensor* cast(NodeReader& node, Tensor* x, DataType type) {
    Cast layer;
    layer.to = type;
    return x->type == type ? x : node.add(layer, {x});
}

Tensor* apply(NodeReader& node, PointwiseOp op, Tensor* x, int64_t number) {
    Literal const scalar =
        dispatch(x->type, [&]<class T>(TypeTag<T>) { return Literal::scalar(static_cast<T>(number)); });
    return node.add(elementwise(op), {x, node.constant(scalar)});
}

/// The lowest bits of an integer, for a type that the graph stores in a wider one. A float beyond the ends of such a
/// type becomes the nearer end, as for all types; for types of 4 and 2 bits ONNX's tests keep the lowest bits.
Tensor* narrowed(NodeReader& node, Tensor* x, ElementType type) {
    WholeRange const range = *wholeRange(type);
    bool const wide = bitsOf(type) >= 32;
    Tensor* const y = cast(node, x, wide ? DataType::Int64 : DataType::Int32);
    bool const real = x->type != DataType::Int4 && !isInteger(x->type);
    if (real && bitsOf(type) > 4)
        return apply(node, PointwiseOp::Min, apply(node, PointwiseOp::Max, y, range.least), range.most);
    if (bitsOf(type) == 64) return y;
    int64_t const count = range.most - range.least + 1;
    if (range.least == 0) return apply(node, PointwiseOp::Mod, y, count);
    return apply(node, PointwiseOp::Sum,
                 apply(node, PointwiseOp::Mod, apply(node, PointwiseOp::Sub, y, range.least), count), range.least);
}

/// Whether the graph has only a wider type, and x may hold values outside of the narrow one.
bool mayExceed(ElementType from, ElementType type) {
    auto const range = wholeRange(type);
    if (!range || from == type || from == ElementType::Bool || type == elementTypeOf(*graphType(type))) return false;
    auto const held = wholeRange(from);
    return !held || !range->holds(*held);
}

/// A target that Cast itself does not round to: the graph stores it in a wider type, or rounding differs.
bool isRounded(ElementType type, CastRules const& rules) {
    if (type == ElementType::Float8E8M0) return !rules.saturate || rules.rounding != PowerRounding::Up;
    return numberForm(type) != NumberForm::Own || (type == ElementType::Float8E4M3FN && !rules.saturate);
}

Tensor* rounded(NodeReader& node, Tensor* x, int64_t to, CastRules const& rules) {
    Quantize layer;
    layer.to = dataTypeOf(to);
    layer.form = numberForm(elementType(to));
    layer.saturate = rules.saturate;
    layer.rounding = rules.rounding;
    Tensor* const real = isFloat(x->type) ? x : cast(node, x, DataType::Float32);
    return node.add(layer, {real, node.constant(Literal::scalar(1.0F))});
}

} // namespace

Tensor* castAs(NodeReader& node, int input, int64_t to, CastRules const& rules) {
    ElementType const type = elementType(to);
    DataType const inGraph = dataTypeOf(to);
    Tensor* y = node.input(input);
    if (isRounded(type, rules)) {
        y = rounded(node, y, to, rules);
    } else {
        if (mayExceed(elementType(node.elementType(input)), type)) y = narrowed(node, y, type);
        Cast layer;
        layer.to = inGraph;
        y = node.add(layer, {y});
    }
    node.setElementType(*y, to);
    return y;
}

} // namespace tenon::onnx
