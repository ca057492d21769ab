// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/affine_grid/affine_grid.h"

#include "base/error.h"
#include "layers/affine_grid/affine_points.h"

namespace tenon {

namespace layers {
LayerEntry affineGridLayer() { return entryOf<AffineGrid>(); }
} // namespace layers

namespace {

constexpr size_t kLeading = 2; // N and C

bool differ(DimExpr const& a, DimExpr const& b) {
    return a.isConstant() && b.isConstant() && a.constant() != b.constant();
}

} // namespace

// theta [N,k,k+1], size [k+2] → grid [N,extents…,k]
std::vector<Result> AffineGrid::infer(Operands const& in) const {
    in.expectCount(2, 2).expectFloat(0).expectRank(0, 3, 3).expectInteger(1).expectRank(1, 1, 1);
    Shape const size = in.valuesOf(1, "size");
    Shape const& theta = in[0].shape;
    if (size.size() != kLeading + 2 && size.size() != kLeading + AffinePoints::kMost)
        fail(ErrorCode::InvalidArgument, "size has ", size.size(), " numbers; expected N, C and 2 or 3 extents");
    auto const axes = static_cast<int64_t>(size.size() - kLeading);
    if (differ(theta[1], axes) || differ(theta[2], axes + 1))
        fail(ErrorCode::InvalidArgument, "theta has shape ", theta, "; for ", axes, " extents expected [N,", axes, ',',
             axes + 1, ']');
    if (differ(theta[0], size[0]))
        fail(ErrorCode::InvalidArgument, "theta ", theta, " and size ", size, " differ in their number of batch items");
    Shape grid{theta[0]};
    grid.insert(grid.end(), size.begin() + kLeading, size.end());
    grid.emplace_back(axes);
    return {{in[0].type, grid}};
}

void AffineGrid::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    AffinePoints const points(out[0].dims, alignCorners);
    int64_t const axes = points.axes;
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        for (int64_t i = 0; i < out[0].dims[0] * points.count; ++i) {
            T const* const theta = static_cast<T const*>(in[0].data) + i / points.count * axes * (axes + 1);
            T* const to = static_cast<T*>(out[0].data) + i * axes;
            points.at(theta, i % points.count, [&](int axis, float coordinate) { to[axis] = T(coordinate); });
        }
    });
}

} // namespace tenon
