// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/determinant/determinant.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry determinantLayer() { return entryOf<Determinant>(); }
} // namespace layers

namespace {

/// By Gaussian elimination with partial pivoting: the product of the pivots, negated after an odd number of swaps.
double determinantOf(std::vector<double> a, int64_t rows) {
    double determinant = 1;
    auto const at = [&](int64_t i, int64_t j) -> double& { return a[static_cast<size_t>(i * rows + j)]; };
    for (int64_t k = 0; k < rows; ++k) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < rows; ++i) {
            if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
        }
        if (pivot != k) determinant = -determinant;
        for (int64_t j = 0; pivot != k && j < rows; ++j) std::swap(at(k, j), at(pivot, j));
        determinant *= at(k, k);
        if (at(k, k) == 0) return 0;
        for (int64_t i = k + 1; i < rows; ++i) {
            double const factor = at(i, k) / at(k, k);
            for (int64_t j = k; j < rows; ++j) at(i, j) -= factor * at(k, j);
        }
    }
    return determinant;
}

} // namespace

// X [d…,M,M] → Y [d…]
std::vector<Result> Determinant::infer(Operands const& in) const {
    in.expectCount(1, 1).expectFloat(0).expectRank(0, 2, Dims::kMaxRank);
    Shape shape = in[0].shape;
    DimExpr const columns = shape.back();
    shape.pop_back();
    DimExpr const rows = shape.back();
    shape.pop_back();
    if (rows.isConstant() && columns.isConstant() && rows.constant() != columns.constant())
        fail(ErrorCode::InvalidArgument, "input 0 has shape ", in[0].shape, "; expected square matrices");
    return {{in[0].type, shape}};
}

void Determinant::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    int64_t const rows = in[0].dims[in[0].dims.rank() - 1];
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        T const* x = in[0].as<T>().data();
        for (T& y : out[0].as<T>()) {
            std::vector<double> matrix;
            for (int64_t i = 0; i < rows * rows; ++i) matrix.push_back(static_cast<double>(x[i]));
            y = static_cast<T>(static_cast<float>(determinantOf(std::move(matrix), rows)));
            x += rows * rows;
        }
    });
}

} // namespace tenon
