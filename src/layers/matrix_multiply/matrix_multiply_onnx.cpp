// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "base/error.h"
#include "layers/pointwise/pointwise.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importMatMul(NodeReader& node) {
    MatrixMultiply layer;
    if (node.input(0)->shape.size() == 1) layer.a = MatrixOperation::Vector;
    if (node.input(1)->shape.size() == 1) layer.b = MatrixOperation::Vector;
    return {node.add(std::move(layer), {node.input(0), node.input(1)})};
}

PointwiseStep scaledBy(double factor, int64_t operand) { return {PointwiseOp::Affine, operand, -1, factor, 0}; }

/// C times beta, as a tensor.
Tensor* scaled(NodeReader& node, Tensor* c, float beta) {
    if (beta == 1) return c;
    Pointwise scale;
    scale.steps = {scaledBy(beta, 0)};
    return node.add(std::move(scale), {c});
}

// Y = alpha * A' B' + beta * C
std::vector<Tensor*> importGemm(NodeReader& node) {
    for (int i : {0, 1}) {
        Shape const& shape = node.input(i)->shape;
        if (shape.size() != 2)
            fail(ErrorCode::InvalidModel, "input ", i, " '", node.input(i)->name, "' has shape ", shape, " of rank ",
                 shape.size(), "; expected a matrix");
    }
    node.ignore({"broadcast"}); // before opset 7: C may need it, or not
    float const alpha = node.real("alpha", 1);
    float const beta = node.real("beta", 1);
    MatrixMultiply layer;
    if (node.integer("transA", 0) != 0) layer.a = MatrixOperation::Transpose;
    if (node.integer("transB", 0) != 0) layer.b = MatrixOperation::Transpose;
    bool const integers = !isFloat(node.input(0)->type);
    if (integers && (alpha != 1 || beta != 1))
        fail(ErrorCode::Unsupported, "alpha is ", double{alpha}, " and beta is ", double{beta}, " for matrices of ",
             node.input(0)->type, "; expected 1 for integers");
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    bool const adds = node.hasInput(2) && beta != 0;
    if (alpha != 1) layer.epilogue.push_back({PointwiseOp::Affine, -1, alpha, 0});
    if (adds) {
        layer.epilogue.push_back({PointwiseOp::Sum, MatrixMultiply::kFirstExtra});
        inputs.push_back(scaled(node, node.input(2), beta));
    }
    return {node.add(std::move(layer), inputs)};
}

constexpr Importer kAll[]{{"MatMul", importMatMul}, {"Gemm", importGemm}};

} // namespace

ImporterList matrixMultiplyImporters() { return kAll; }

} // namespace tenon::onnx
