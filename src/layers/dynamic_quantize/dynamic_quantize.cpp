// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dynamic_quantize/dynamic_quantize.h"

#include "base/error.h"
#include "layers/block_scales.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry dynamicQuantizeLayer() { return entryOf<DynamicQuantize>(); }
} // namespace layers

std::vector<int64_t> blocksOf(DynamicQuantize const& layer, int rank) {
    if (!layer.blocks.empty()) return layer.blocks;
    std::vector<int64_t> blocks(static_cast<size_t>(rank), 1);
    blocks[static_cast<size_t>(resolveAxis(layer.axis, rank))] = layer.blockSize;
    return blocks;
}

// X [d0,…,dn] → Y [d0,…,dn], scales [d0 / b0,…,dn / bn], rounded up
std::vector<Result> DynamicQuantize::infer(Operands const& in) const {
    in.expectCount(1, 2).expectFloat(0).expectRank(0, 1, Dims::kMaxRank);
    if (in.has(1)) in.expectFloat(1).expectOneElement(1);
    if (to != DataType::Float8 && to != DataType::Float4)
        fail(ErrorCode::InvalidArgument, "quantizes to ", to, "; expected float8 or float4");
    if (!isFloat(scaleType) && scaleType != DataType::Float8 && scaleType != DataType::E8M0)
        fail(ErrorCode::InvalidArgument, "its scales are ", scaleType,
             "; expected float8, e8m0 or a floating point type");
    auto const sizes = blocksOf(*this, in.rank(0));
    if (static_cast<int>(sizes.size()) != in.rank(0) || std::ranges::any_of(sizes, [](int64_t b) { return b < 1; }))
        fail(ErrorCode::InvalidArgument, "blocks of ", Shape(sizes.begin(), sizes.end()), " for input 0 ", in[0].shape,
             "; expected a number of elements, 1 or more, for each axis");
    Shape scales;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
        scales.push_back(DimExpr::apply(DimExpr::Op::CeilDiv, in[0].shape[axis], sizes[axis]));
    return {{to, in[0].shape}, {scaleType, scales}};
}

BlockGrid gridOf(DynamicQuantize const& layer, Dims const& x) {
    auto const sizes = blocksOf(layer, x.rank());
    BlockGrid grid{.rank = x.rank()};
    for (int axis = 0; axis < x.rank(); ++axis) {
        auto const a = static_cast<size_t>(axis);
        grid.extents[a] = x[axis];
        grid.sizes[a] = std::min(sizes[a], std::max<int64_t>(x[axis], 1));
        grid.counts[a] = (x[axis] + grid.sizes[a] - 1) / grid.sizes[a];
        grid.blocks *= grid.counts[a];
        grid.perBlock *= grid.sizes[a];
        grid.elements *= x[axis];
    }
    return grid;
}

void DynamicQuantize::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    BlockGrid const grid = gridOf(*this, in[0].dims);
    HostNumbers const outerScale(in, 1);
    float const outer = outerScale.data == nullptr ? 1 : static_cast<float>(outerScale[0]);
    std::vector<float> const x = Literal::borrowed(in[0].type, in[0].dims, in[0].data, nullptr).toFloat();
    std::vector<float> y(x.size());
    for (int64_t block = 0; block < grid.blocks; ++block) {
        float most = 0;
        for (int64_t i = 0; i < grid.perBlock; ++i) {
            int64_t const at = grid.element(block, i);
            if (at >= 0) most = std::max(most, std::abs(x[static_cast<size_t>(at)]));
        }
        putNumber(out[1], block, scaleFor(to, most, outer));
        float const scale = static_cast<float>(HostNumbers(out[1])[block]) * outer; // as it was rounded
        for (int64_t i = 0; i < grid.perBlock; ++i) {
            int64_t const at = grid.element(block, i);
            if (at >= 0) y[static_cast<size_t>(at)] = byScale(x[static_cast<size_t>(at)], scale);
        }
    }
    for (size_t i = 0; i < y.size(); ++i) putSmall(to, out[0].data, static_cast<int64_t>(i), smallBits(to, y[i]));
}

} // namespace tenon
