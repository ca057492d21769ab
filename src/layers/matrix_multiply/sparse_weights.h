// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/matrix_multiply/matrix_multiply.h"

#include <optional>
#include <string>

namespace tenon {

/// Products with weights of which each column has at most two numbers that are not zero in each four rows (2:4
/// structured sparsity), in the last rows too where these are fewer. Y [rows,n] = A [rows,k] W.
struct SparseProduct {
    int64_t rows, n, k;
    int64_t wRow, wColumn; // strides of W

    static constexpr int64_t kRows = 4; // that are a group
    static constexpr int kKept = 2;     // numbers of it that are kept
    int64_t groups() const { return (k + kRows - 1) / kRows; }
};

/// The product as rows times one matrix; nothing where it has several of these, or A does not lie row by row.
std::optional<SparseProduct> sparseProductOf(MatrixMultiply const& layer, Dims const& a, Dims const& b);

/// Why kernels do not take a node, before they look at its weights: a clause, empty where they may.
std::string sparseRefusal(Node const& node, std::optional<SparseProduct> const& product, bool allowsSparse,
                          bool independent);

/// What is kept of a column's numbers in a group, and where in the group these stand.
struct SparseGroup {
    float values[SparseProduct::kKept]{};
    uint8_t places[SparseProduct::kKept]{};
};

/// The constant W, float32, float16 or bfloat16, as pack() of kernels reads it.
class SparseWeights {
public:
    SparseWeights(SparseProduct const& product, Literal const& w);

    /// Where W is not sparse: a clause that names the first group; else empty.
    std::string refusal() const;
    SparseGroup group(int64_t group, int64_t column) const;

private:
    float at(int64_t row, int64_t column) const;
    int count(int64_t group, int64_t column) const;

    SparseProduct product_;
    Literal w_;
    void const* data_;
};

} // namespace tenon
