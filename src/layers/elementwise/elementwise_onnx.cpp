// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/identity/identity.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// Until opset 6 the second operand's axes were aligned at `axis` of the first one: appending axes of extent 1 makes it
/// numpy's rule.
Tensor* secondOperand(NodeReader& node) {
    Tensor* const b = node.input(1);
    if (node.opset() >= 7) return b;
    bool const broadcasts = node.integer("broadcast", 0) != 0;
    if (!node.has("axis") || !broadcasts) return b;
    auto const rank = static_cast<int64_t>(node.input(0)->shape.size());
    auto const own = static_cast<int64_t>(b->shape.size());
    int64_t const axis = resolveAxis(node.integer("axis", 0), static_cast<int>(rank));
    if (axis + own > rank)
        fail(ErrorCode::InvalidModel, "axis ", axis, " leaves no room for the ", own, " axes of ", b->name, " in the ",
             rank, " of ", node.input(0)->name);
    if (axis + own == rank) return b;
    std::vector<int64_t> shape;
    for (DimExpr const& dim : b->shape) shape.push_back(dim.constant());
    shape.resize(static_cast<size_t>(rank - axis), 1);
    return node.add(Shuffle::reshaping(shape), {b});
}

template <PointwiseOp kOp> std::vector<Tensor*> importBinary(NodeReader& node) {
    return {node.add(elementwise(kOp), {node.input(0), secondOperand(node)})};
}

/// a >= b as (a > b) or (a == b): not (a < b) would hold for NaN.
template <PointwiseOp kOp> std::vector<Tensor*> importOrEqual(NodeReader& node) {
    Tensor* const strict = node.add(elementwise(kOp), {node.input(0), node.input(1)});
    Tensor* const equal = node.add(elementwise(PointwiseOp::Equal), {node.input(0), node.input(1)});
    return {node.add(elementwise(PointwiseOp::Or), {strict, equal})};
}

template <PointwiseOp kOp> Tensor* fold(NodeReader& node) {
    Tensor* all = node.input(0);
    for (int i = 1; i < node.inputCount(); ++i) all = node.add(elementwise(kOp), {all, node.input(i)});
    return node.inputCount() == 1 ? node.add(Identity{}, {all}) : all;
}

template <PointwiseOp kOp> std::vector<Tensor*> importVariadic(NodeReader& node) { return {fold<kOp>(node)}; }

std::vector<Tensor*> importMean(NodeReader& node) {
    Tensor* const sum = fold<PointwiseOp::Sum>(node);
    Tensor* const count = node.constant(scalarOf(sum->type, static_cast<float>(node.inputCount())));
    return {node.add(elementwise(PointwiseOp::Div), {sum, count})};
}

std::vector<Tensor*> importMod(NodeReader& node) {
    bool const fmod = node.integer("fmod", 0) != 0;
    DataType const type = node.input(0)->type;
    if (!fmod && isFloat(type) && node.opset() < 28)
        fail(ErrorCode::InvalidModel, "attribute fmod is 0 for operands of ", type, "; the standard expects 1");
    return {node.add(elementwise(fmod ? PointwiseOp::Fmod : PointwiseOp::Mod), {node.input(0), node.input(1)})};
}

Tensor* castTo(NodeReader& node, Tensor* tensor, DataType type) {
    if (tensor->type == type) return tensor;
    Cast layer;
    layer.to = type;
    return node.add(layer, {tensor});
}

/// The result has the base's type, whatever the exponent's; the computation uses the wider of them.
std::vector<Tensor*> importPow(NodeReader& node) {
    Tensor* const base = node.input(0);
    Tensor* const exponent = secondOperand(node);
    bool const asFloat = isInteger(base->type) && isFloat(exponent->type);
    DataType const type = asFloat ? DataType::Float32 : base->type;
    Tensor* const power =
        node.add(elementwise(PointwiseOp::Pow), {castTo(node, base, type), castTo(node, exponent, type)});
    return {castTo(node, power, base->type)};
}

/// Until opset 6 the slope was one value, or one per channel.
std::vector<Tensor*> importPRelu(NodeReader& node) {
    Tensor* slope = node.input(1);
    auto const rank = node.input(0)->shape.size();
    if (node.opset() < 7 && slope->shape.size() == 1 && rank > 2) {
        std::vector<int64_t> shape(rank - 1, 1);
        shape[0] = slope->shape[0].constant();
        slope = node.add(Shuffle::reshaping(shape), {slope});
    }
    return {node.add(elementwise(PointwiseOp::ParametricRelu), {node.input(0), slope})};
}

} // namespace

ImporterList elementwiseImporters() {
    using enum PointwiseOp;
    static constexpr Importer all[] = {
        {"Add", importBinary<Sum>},
        {"Sub", importBinary<Sub>},
        {"Mul", importBinary<Prod>},
        {"Div", importBinary<Div>},
        {"Pow", importPow},
        {"And", importBinary<And>},
        {"Or", importBinary<Or>},
        {"Xor", importBinary<Xor>},
        {"Equal", importBinary<Equal>},
        {"Greater", importBinary<Greater>},
        {"Less", importBinary<Less>},
        {"GreaterOrEqual", importOrEqual<Greater>},
        {"LessOrEqual", importOrEqual<Less>},
        {"Mod", importMod},
        {"Sum", importVariadic<Sum>},
        {"Max", importVariadic<Max>},
        {"Min", importVariadic<Min>},
        {"Mean", importMean},
        {"PRelu", importPRelu},
    };
    return all;
}

} // namespace tenon::onnx
