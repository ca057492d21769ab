// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/block_scales.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {
namespace {

bool surelyDiffer(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

/// Whether there is or may be one element: at run time the rule is checked again.
bool maybeSingle(Shape const& shape) {
    return std::ranges::none_of(shape, [](DimExpr const& extent) { return surelyDiffer(extent, DimExpr(1)); });
}

bool isSingle(Shape const& shape) {
    return std::ranges::all_of(shape, [](DimExpr const& extent) { return extent == DimExpr(1); });
}

void expectAxis(Operands const& in, int input, int64_t axis) {
    Shape const& x = in[0].shape;
    if (!in[input].shape[0].isConstant()) return; // it may be 1, then the axis does not matter
    DimExpr const& extent = x[static_cast<size_t>(resolveAxis(axis, in.rank(0)))];
    if (surelyDiffer(in[input].shape[0], extent))
        fail(ErrorCode::InvalidArgument, "input ", input, " has ", in[input].shape[0], " elements for axis ", axis,
             " of input 0 ", x, "; expected ", extent, ", or 1");
}

int64_t blocksIn(int64_t extent, int64_t block) { return extent / block + (extent % block == 0 ? 0 : 1); }

void expectBlocks(Operands const& in, int input, std::vector<int64_t> const& blocks) {
    for (size_t axis = 0; axis < in[0].shape.size(); ++axis) {
        DimExpr const& extent = in[0].shape[axis];
        DimExpr const& scales = in[input].shape[axis];
        if (!extent.isConstant() || !scales.isConstant() || scales == DimExpr(1)) continue;
        int64_t const x = extent.constant();
        int64_t const s = scales.constant();
        if (blocks.empty() ? s == 0 || x % s != 0 : blocksIn(x, blocks[axis]) != s)
            fail(ErrorCode::InvalidArgument, "input ", input, " ", in[input].shape, " has ", s, " elements along axis ",
                 axis, " of input 0 ", in[0].shape, "; expected ",
                 blocks.empty() ? text("a divisor of ", x)
                                : text(blocksIn(x, blocks[axis]), ", one for each block of ", blocks[axis]));
    }
}

void expectBlockSizes(Operands const& in, std::vector<int64_t> const& blocks) {
    if (blocks.empty()) return;
    bool const fit = std::ranges::all_of(blocks, [](int64_t block) { return block >= 1; });
    if (!fit || blocks.size() != in[0].shape.size())
        fail(ErrorCode::InvalidArgument, "blocks of ", Shape(blocks.begin(), blocks.end()), " for input 0 ",
             in[0].shape, "; expected a number of elements, 1 or more, for each axis");
}

void expectZerosAsScales(Operands const& in) {
    if (!in.has(2) || maybeSingle(in[2].shape)) return;
    bool differ = in.rank(1) != in.rank(2);
    for (int i = 0; i < in.rank(1) && !differ; ++i)
        differ = surelyDiffer(in[1].shape[static_cast<size_t>(i)], in[2].shape[static_cast<size_t>(i)]);
    if (differ)
        fail(ErrorCode::InvalidArgument, "input 2, the zero point, has shape ", in[2].shape, "; expected ", in[1].shape,
             " as the scale, or one element");
}

} // namespace

void putNumber(HostTensor const& tensor, int64_t i, float number) {
    if (isSmall(tensor.type)) return putSmall(tensor.type, tensor.data, i, smallBits(tensor.type, number));
    dispatch(tensor.type,
             [&]<class T>(TypeTag<T>) { static_cast<T*>(tensor.data)[i] = castElement<float, T>(number); });
}

void expectScales(Operands const& in, int64_t axis, std::vector<int64_t> const& blocks) {
    expectBlockSizes(in, blocks);
    expectZerosAsScales(in);
    for (int input = 1; input < in.count(); ++input) {
        if (!in.has(input) || (isSingle(in[input].shape) && in.rank(input) <= 1)) continue;
        if (in.rank(input) == 1 && blocks.empty()) {
            expectAxis(in, input, axis);
        } else if (in.rank(input) == in.rank(0)) {
            expectBlocks(in, input, blocks);
        } else {
            fail(ErrorCode::InvalidArgument, "input ", input, " ", in[input].shape, " has rank ", in.rank(input),
                 "; expected one element, a list for one axis, or the rank of input 0 ", in[0].shape);
        }
    }
}

void expectListedAxis(Operands const& in, int64_t axis) {
    bool const isList = in.has(1) && in.rank(1) == 1 && !maybeSingle(in[1].shape);
    if (isList && in.rank(0) > 1) expectAxis(in, 1, axis); // along a single axis there may be blocks
}

ScaleMap scaleMapOf(Dims const& x, Dims const& scales, int64_t axis, std::vector<int64_t> const& blocks) {
    ScaleMap map;
    if (scales.volume() == 1 || x.volume() == 0) return map;
    bool const listed = scales.rank() == 1 && blocks.empty();
    int const listedAxis = listed ? resolveAxis(axis, x.rank()) : 0;
    Dims const strides = rowMajorStrides(scales);
    for (int d = 0; d < x.rank(); ++d) {
        int64_t const count = listed ? (d == listedAxis ? scales[0] : 1) : scales[d];
        int64_t const stride = count == 1 ? 0 : strides[listed ? 0 : d];
        int64_t block = 1;
        if (!listed && count != 1) block = blocks.empty() ? x[d] / count : blocks[static_cast<size_t>(d)];
        if (x[d] == 1) continue;
        auto const at = static_cast<size_t>(map.rank);
        bool const continues = map.rank > 0 && block == 1 && map.blocks[at - 1] == 1 &&
                               map.strides[at - 1] == stride * x[d] && (stride != 0 || map.strides[at - 1] == 0);
        if (continues) {
            map.extents[at - 1] *= x[d];
            map.strides[at - 1] = stride;
            continue;
        }
        map.extents[at] = x[d];
        map.blocks[at] = block;
        map.strides[at] = stride;
        ++map.rank;
    }
    return map;
}

} // namespace tenon
