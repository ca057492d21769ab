// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/sparse_weights.h"

#include "base/half.h"
#include "base/text.h"

#include <algorithm>

namespace tenon {

std::optional<SparseProduct> sparseProductOf(MatrixMultiply const& layer, Dims const& a, Dims const& b) {
    MatrixProduct const p = productOf(layer, a, b);
    bool const isDense = layer.a != MatrixOperation::Transpose && a.volume() == p.batch.volume() * p.m * p.k;
    if (!isDense || b.volume() != p.k * p.n) return std::nullopt;
    return SparseProduct{p.batch.volume() * p.m, p.n, p.k, p.bRow, p.bColumn};
}

std::string sparseRefusal(Node const& node, std::optional<SparseProduct> const& product, bool allowsSparse,
                          bool independent) {
    if (!isFloat(node.input(0)->type)) return "supports floating point only";
    if (!allowsSparse) return "skips zero weights, which the build does not allow";
    if (independent) return "computes sums in an order that depends on the number of rows";
    if (node.input(1)->literal() == nullptr) return "requires constant weights";
    return product ? "" : "supports rows times one matrix";
}

SparseWeights::SparseWeights(SparseProduct const& product, Literal const& w)
    : product_(product), w_(w.present()), data_(w_.data()) {}

float SparseWeights::at(int64_t row, int64_t column) const {
    int64_t const i = row * product_.wRow + column * product_.wColumn;
    switch (w_.type()) {
    case DataType::Float16: return static_cast<float>(static_cast<Half const*>(data_)[i]);
    case DataType::BFloat16: return static_cast<float>(static_cast<BFloat16 const*>(data_)[i]);
    default: return static_cast<float const*>(data_)[i];
    }
}

int SparseWeights::count(int64_t group, int64_t column) const {
    int64_t const end = std::min((group + 1) * SparseProduct::kRows, product_.k);
    int found = 0;
    for (int64_t row = group * SparseProduct::kRows; row < end; ++row) found += at(row, column) != 0 ? 1 : 0;
    return found;
}

std::string SparseWeights::refusal() const {
    bool const byColumn = product_.wRow == 1; // in memory order
    int64_t const outer = byColumn ? product_.n : product_.groups();
    int64_t const inner = byColumn ? product_.groups() : product_.n;
    for (int64_t i = 0; i < outer; ++i) {
        for (int64_t j = 0; j < inner; ++j) {
            int64_t const group = byColumn ? j : i;
            int64_t const column = byColumn ? i : j;
            int const found = count(group, column);
            if (found > SparseProduct::kKept)
                return text("requires at most 2 nonzero weights in each 4 rows of a column; column ", column, " has ",
                            found, " from row ", group * SparseProduct::kRows, " on");
        }
    }
    return {};
}

SparseGroup SparseWeights::group(int64_t group, int64_t column) const {
    SparseGroup kept;
    int64_t const first = group * SparseProduct::kRows;
    int found = 0;
    for (int64_t row = first; row < std::min(first + SparseProduct::kRows, product_.k); ++row) {
        float const value = at(row, column);
        if (value == 0 || found == SparseProduct::kKept) continue;
        kept.values[found] = value;
        kept.places[found++] = static_cast<uint8_t>(row - first);
    }
    return kept;
}

} // namespace tenon
