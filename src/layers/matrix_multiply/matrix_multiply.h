// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/batch_part.h"
#include "steps/epilogue.h"

namespace tenon {

/// How an operand of a matrix product is read; TensorRT's names and order.
enum class MatrixOperation : uint8_t {
    None,      // […,rows,columns]
    Transpose, // […,columns,rows]
    Vector,    // […,elements]: one row on the left, one column on the right; the result has no such axis
};
std::span<std::string_view const> names(MatrixOperation);

/// Products of matrices, one for each place of the leading axes, which broadcast as in numpy.
/// A […,M,K], B […,K,N], operands of the epilogue… → Y […,M,N], floating point, int32 or int64 (integers wrap around).
struct MatrixMultiply final : LayerOf<MatrixMultiply>, HasEpilogue {
    static constexpr std::string_view kKind = "MatrixMultiply";
    static constexpr int kFirstExtra = 2; // inputs from here on are operands of the epilogue

    MatrixOperation a = MatrixOperation::None;
    MatrixOperation b = MatrixOperation::None;

    void fields(Fields& f) override {
        f("a", a);
        f("b", b);
        f("epilogue", epilogue);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    int firstOperand() const override { return kFirstExtra; }
    int channelAxis(int rank) const override { return rank - 1; }
};

/// Both operands as stacks of matrices with everything known: Y[batch][m][n] = sum over k of A[batch][m][k] *
/// B[batch][k][n]. Strides are in elements; 0 along broadcast axes of the batch.
struct MatrixProduct {
    int64_t m, n, k;
    Dims batch;
    Dims aBatch, bBatch; // strides along the axes of `batch`
    int64_t aRow, aColumn, bRow, bColumn;
};
MatrixProduct productOf(MatrixMultiply const& layer, Dims const& a, Dims const& b);

/// The bit of a tactic of kernels that compute the products of a batch one after another (KernelQuery::independent).
inline constexpr int64_t kEachBatch = int64_t{1} << 32;
/// One of the products that are stacked.
BatchPart partOf(MatrixMultiply const& layer, std::span<Dims const> inputs, Dims const& output);

} // namespace tenon
