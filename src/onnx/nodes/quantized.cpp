// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/elementwise/elementwise.h"
#include "layers/integer_convolution/integer_convolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/quantize/quantize.h"
#include "layers/reduce/reduce.h"
#include "layers/unary/unary.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "onnx/importer.h"
#include "onnx/types.h"
#include "onnx/window.h"

// Operators on quantized tensors, as integer arithmetic followed by one rounding.

namespace tenon::onnx {
namespace {

Tensor* cast(NodeReader& node, Tensor* x, DataType type) {
    Cast layer;
    layer.to = type;
    return x->type == type ? x : node.add(layer, {x});
}

Tensor* apply(NodeReader& node, PointwiseOp op, Tensor* a, Tensor* b) { return node.add(elementwise(op), {a, b}); }

/// A list followed by this many axes of extent 1: one for rows of a matrix, the number of spatial axes for channels.
Tensor* behind(NodeReader& node, Tensor* list, int64_t axes) {
    if (list->shape.size() != 1 || axes == 0) return list;
    std::vector<int64_t> all;
    for (int64_t axis = 1; axis <= axes; ++axis) all.push_back(axis);
    return node.add(Unsqueeze{}, {list, node.constant(Literal::of({axes}, all))});
}

/// The number of axes to append to a list of values for the rows (input a) or columns of a matrix.
int64_t axesBehind(Tensor const& matrix, bool rows) { return rows && matrix.shape.size() >= 2 ? 1 : 0; }

bool isReal(NodeReader const& node, int input) { return !isInteger(node.input(input)->type); }

/// A matrix minus its zero points, in int32 if both factors are integers, so that the product is exact.
Tensor* centred(NodeReader& node, int input, int zero, DataType type) {
    Tensor* const x = node.input(input);
    Tensor* const wide = cast(node, x, type);
    if (!node.hasInput(zero)) return wide;
    Tensor* const zeros = cast(node, node.input(zero), type);
    return apply(node, PointwiseOp::Sub, wide, behind(node, zeros, axesBehind(*x, input == 0)));
}

Tensor* product(NodeReader& node, Tensor* a, Tensor* b) {
    MatrixMultiply layer;
    if (a->shape.size() == 1) layer.a = MatrixOperation::Vector;
    if (b->shape.size() == 1) layer.b = MatrixOperation::Vector;
    return node.add(std::move(layer), {a, b});
}

/// Operators that quantize their result require zero points of both factors; for ConvInteger they are optional.
void expectZeroPoints(NodeReader const& node) {
    for (int const zero : {2, 5, 7}) node.input(zero);
}

std::vector<Tensor*> importMatMulInteger(NodeReader& node) {
    return {product(node, centred(node, 0, 2, DataType::Int32), centred(node, 1, 3, DataType::Int32))};
}

/// sums * (scale of a * scale of b) / scale of y, rounded to the type of y's zero point, which is input `zero`; the
/// scale is the input before it.
Tensor* requantized(NodeReader& node, Tensor* sums, Tensor* scales, int zero) {
    int64_t const type = node.elementType(zero);
    Quantize layer;
    layer.to = dataTypeOf(type);
    layer.form = numberForm(elementType(type));
    Tensor* const real = apply(node, PointwiseOp::Prod, cast(node, sums, DataType::Float32), scales);
    Tensor* const y = node.add(layer, {real, cast(node, node.input(zero - 1), DataType::Float32), node.input(zero)});
    node.setElementType(*y, type);
    return y;
}

/// The scales of rows times those of columns.
Tensor* matrixScales(NodeReader& node) {
    Tensor* const a = cast(node, node.input(1), DataType::Float32);
    Tensor* const b = cast(node, node.input(4), DataType::Float32);
    return apply(node, PointwiseOp::Prod, behind(node, a, axesBehind(*node.input(0), true)), b);
}

// a, its scale, its zero point, b, its scale, its zero point, the scale of y, its zero point
std::vector<Tensor*> importQLinearMatMul(NodeReader& node) {
    DataType const type = isReal(node, 0) || isReal(node, 3) ? DataType::Float32 : DataType::Int32;
    expectZeroPoints(node);
    Tensor* const sums = product(node, centred(node, 0, 2, type), centred(node, 3, 5, type));
    Tensor* scales = matrixScales(node);
    return {requantized(node, sums, scales, 7)};
}

struct ConvolutionInputs {
    int x, w, zeroOfX, zeroOfW;
};

Tensor* convolved(NodeReader& node, ConvolutionInputs const& at) {
    IntegerConvolution layer;
    layer.window = readWindow(node, spatialAxes(node));
    layer.groups = node.integer("group", 1);
    std::vector<Tensor*> inputs{node.input(at.x), node.input(at.w)};
    inputs.push_back(node.hasInput(at.zeroOfX) ? node.input(at.zeroOfX) : nullptr);
    inputs.push_back(node.hasInput(at.zeroOfW) ? node.input(at.zeroOfW) : nullptr);
    while (inputs.back() == nullptr) inputs.pop_back();
    return node.add(std::move(layer), inputs);
}

std::vector<Tensor*> importConvInteger(NodeReader& node) {
    checkKernelShape(node);
    return {convolved(node, {0, 1, 2, 3})};
}

// x, its scale, its zero point, w, its scale, its zero point, the scale of y, its zero point, bias
std::vector<Tensor*> importQLinearConv(NodeReader& node) {
    node.ignore({"kernel_shape"}); // the extents of w
    expectZeroPoints(node);
    Tensor* sums = convolved(node, {0, 3, 2, 5});
    auto const spatial = static_cast<int64_t>(node.input(0)->shape.size()) - 2;
    if (node.hasInput(8)) sums = apply(node, PointwiseOp::Sum, sums, behind(node, node.input(8), spatial));
    Tensor* const scales = apply(node, PointwiseOp::Prod, node.input(1), behind(node, node.input(4), spatial));
    return {requantized(node, sums, scales, 7)};
}

Tensor* extreme(NodeReader& node, ReduceOperation operation, PointwiseOp withZero) {
    Reduce reduce;
    reduce.operation = operation;
    return apply(node, withZero, node.add(reduce, {node.input(0)}), node.constant(Literal::scalar(0.0F)));
}

// X [any] → Y [the same] uint8, scale [], zero point [] uint8: of the range from the minimum to the maximum, extended
// to 0
std::vector<Tensor*> importDynamicQuantizeLinear(NodeReader& node) {
    Tensor* const most = extreme(node, ReduceOperation::Max, PointwiseOp::Max);
    Tensor* const least = extreme(node, ReduceOperation::Min, PointwiseOp::Min);
    Tensor* const scale = apply(node, PointwiseOp::Div, apply(node, PointwiseOp::Sub, most, least),
                                node.constant(Literal::scalar(255.0F)));
    Quantize rounding;
    rounding.to = DataType::UInt8;
    Unary negation;
    negation.operation = PointwiseOp::Neg;
    Tensor* const zero = node.add(rounding, {node.add(negation, {least}), scale});
    return {node.add(rounding, {node.input(0), scale, zero}), scale, zero};
}

} // namespace

ImporterList quantizedImporters() {
    static constexpr Importer all[]{{"MatMulInteger", importMatMulInteger},
                                    {"QLinearMatMul", importQLinearMatMul},
                                    {"ConvInteger", importConvInteger},
                                    {"QLinearConv", importQLinearConv},
                                    {"DynamicQuantizeLinear", importDynamicQuantizeLinear}};
    return all;
}

} // namespace tenon::onnx
