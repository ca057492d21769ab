// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reduce/reduce.h"

#include "base/error.h"
#include "layers/pointwise/pointwise.h"
#include "onnx/read_values.h"
#include "onnx/term.h"

#include <numeric>

namespace tenon::onnx {
namespace {

/// Over no axes each element is folded alone.
Tensor* overNoAxes(Term const& x, ReduceOperation operation) {
    using enum ReduceOperation;
    if (operation == L1 || operation == L2) return apply(PointwiseOp::Abs, x);
    if (operation == SumSquare) return x * x;
    if (operation == LogSum) return log(x);
    Reduce layer;
    layer.operation = None; // the rest is the identity, for LogSumExp too
    return x.through(std::move(layer));
}

/// The axes are an attribute, and since opset 13 (ReduceSum) or 18 (the others) an input. Known axes become a field;
/// axes that are known at run time only are an input of the layer.
Tensor* reduced(NodeReader& node, Tensor* x, ReduceOperation operation) {
    Reduce layer;
    layer.operation = operation;
    layer.axes = node.integers("axes", {});
    layer.keepDimensions = node.integer("keepdims", 1) != 0;
    bool const noAxesIsNone = node.integer("noop_with_empty_axes", 0) != 0;
    std::vector<Tensor*> inputs{x};
    if (node.hasInput(1)) {
        if (auto const known = readValue(*node.input(1)))
            layer.axes = locate([] { return "the axes"; }, [&] { return known->toInt64(); });
        else if (!(volume(node.input(1)->shape) == DimExpr(0)))
            inputs.push_back(node.input(1));
    }
    bool const isEmpty = layer.axes.empty() && inputs.size() == 1;
    if (isEmpty && noAxesIsNone) return overNoAxes({node, x}, operation);
    return node.add(std::move(layer), std::move(inputs));
}

template <ReduceOperation operation> std::vector<Tensor*> import(NodeReader& node) {
    return {reduced(node, node.input(0), operation)};
}

/// The truncated integer square root. The root in float32 may be off by one.
Term wholeRoot(Term const& square) {
    Term const near = cast(sqrt(cast(square, DataType::Float32)), DataType::Int64);
    Term const least = near - cast(near * near > square, DataType::Int64);
    Term const next = least + 1;
    return next - cast(next * next > square, DataType::Int64);
}

std::vector<Tensor*> importL2(NodeReader& node) {
    Term const x = input(node, 0);
    if (!isInteger(x->type)) return import <ReduceOperation::L2>(node);
    Term const squares(node, reduced(node, cast(x, DataType::Int64), ReduceOperation::SumSquare));
    return {cast(wholeRoot(squares), x->type)};
}

/// All spatial axes of [N,C,…], which stay with an extent of 1.
Reduce overSpatialAxes(NodeReader& node, ReduceOperation operation) {
    size_t const rank = node.input(0)->shape.size();
    if (rank < 3)
        fail(ErrorCode::InvalidModel, "input 0 '", node.input(0)->name, "' has shape ", node.input(0)->shape,
             "; expected [N,C,…] with one spatial axis at least");
    Reduce layer;
    layer.operation = operation;
    layer.axes.resize(rank - 2);
    std::iota(layer.axes.begin(), layer.axes.end(), 2);
    layer.keepDimensions = true;
    return layer;
}

template <ReduceOperation operation> std::vector<Tensor*> importGlobal(NodeReader& node) {
    return {node.add(overSpatialAxes(node, operation), {node.input(0)})};
}

Tensor* raised(NodeReader& node, Tensor* x, std::vector<PointwiseStep> steps, float exponent) {
    Pointwise layer;
    layer.steps = std::move(steps);
    return node.add(std::move(layer), {x, node.constant(Literal::scalar(exponent))});
}

// (sum of |x|^p)^(1/p)
std::vector<Tensor*> importGlobalLp(NodeReader& node) {
    auto const p = node.opset() >= 2 ? static_cast<float>(node.integer("p", 2)) : node.real("p", 2);
    if (p == 1) return importGlobal<ReduceOperation::L1>(node);
    if (p == 2) return importGlobal<ReduceOperation::L2>(node);
    Tensor* const powers = raised(node, node.input(0), {{PointwiseOp::Abs, 0}, {PointwiseOp::Pow, 2, 1}}, p);
    Tensor* const sum = node.add(overSpatialAxes(node, ReduceOperation::Sum), {powers});
    return {raised(node, sum, {{PointwiseOp::Pow, 0, 1}}, 1 / p)};
}

constexpr Importer kAll[]{
    {"ReduceSum", import <ReduceOperation::Sum>},
    {"ReduceProd", import <ReduceOperation::Prod>},
    {"ReduceMax", import <ReduceOperation::Max>},
    {"ReduceMin", import <ReduceOperation::Min>},
    {"ReduceMean", import <ReduceOperation::Avg>},
    {"ReduceL1", import <ReduceOperation::L1>},
    {"ReduceL2", importL2},
    {"ReduceSumSquare", import <ReduceOperation::SumSquare>},
    {"ReduceLogSum", import <ReduceOperation::LogSum>},
    {"ReduceLogSumExp", import <ReduceOperation::LogSumExp>},
    {"GlobalAveragePool", importGlobal<ReduceOperation::Avg>},
    {"GlobalMaxPool", importGlobal<ReduceOperation::Max>},
    {"GlobalLpPool", importGlobalLp},
};

} // namespace

ImporterList reduceImporters() { return kAll; }

} // namespace tenon::onnx
