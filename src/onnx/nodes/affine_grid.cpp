// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

/// From -1 to 1: the centers of the first and last pixel, or the outer edges of them. extent [] → [extent]
Term positions(Term const& extent, bool alignCorners) {
    Term const length = cast(extent, DataType::Float32);
    Term const i = counting(extent, DataType::Float32);
    if (alignCorners) return 2 * i / max(length - 1, length.constant(1)) - 1; // of one pixel: -1
    return (2 * i + 1) / length - 1;
}

/// Theta [N,k,k+1], size (N,C,d…) → Y [N,d…,k]: Y[n,p] = theta[n] · (x, y, …, 1), where x is the position along the
/// last axis.
std::vector<Tensor*> importAffineGrid(NodeReader& node) {
    Term const theta = input(node, 0);
    Term const size = input(node, 1);
    int64_t const rank = size->shape.empty() ? 0 : size->shape[0].constantOr(0);
    if (rank != 4 && rank != 5)
        fail(ErrorCode::InvalidModel, "size has shape ", size->shape,
             "; expected the 4 or 5 extents (N,C,H,W) or (N,C,D,H,W)");
    bool const alignCorners = node.integer("align_corners", 0) != 0;
    int64_t const axes = rank - 2;
    std::vector<int64_t> columnShape(static_cast<size_t>(rank), 1); // [N,1,…,k]
    columnShape.front() = 0;
    columnShape.back() = axes;
    auto const column = [&](int64_t k) {
        return reshape(slice(cast(theta, DataType::Float32), 2, k, k + 1), columnShape);
    };
    Term grid = column(axes);
    for (int64_t k = 0; k < axes; ++k) {
        Term const extent = take(size, Term{node, node.constant(Literal::scalar(rank - 1 - k))}, 0);
        std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
        shape[static_cast<size_t>(axes - k)] = -1;
        grid = grid + column(k) * reshape(positions(extent, alignCorners), shape);
    }
    return {cast(grid, theta->type)};
}

} // namespace

ImporterList affineGridImporters() {
    static constexpr Importer all[] = {{"AffineGrid", importAffineGrid}};
    return all;
}

} // namespace tenon::onnx
