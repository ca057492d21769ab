// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "base/error.h"
#include "onnx/reshapes.h"

#include <numeric>

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importReshape(NodeReader& node) {
    if (node.has("shape")) // before opset 5
        return {node.add(Shuffle::reshaping(node.integers("shape", {})), {node.input(0)})};
    Shuffle layer;
    layer.zeroIsPlaceholder = node.integer("allowzero", 0) == 0; // since opset 14
    return {node.add(std::move(layer), {node.input(0), node.input(1)})};
}

std::vector<Tensor*> importTranspose(NodeReader& node) {
    std::vector<int64_t> reversed(node.input(0)->shape.size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    auto const permutation = node.integers("perm", reversed);
    return {node.add(Shuffle::transposing(permutation), {node.input(0)})};
}

/// X [d0,…,dn] → Y [d0·…·d(axis-1), d(axis)·…·dn]; axis may be negative.
Tensor* flatten(NodeReader& node, Tensor* x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    if (axis < -rank || axis > rank)
        fail(ErrorCode::InvalidModel, "axis is ", axis, " and input 0 of rank ", rank, "; expected ", -rank, " to ",
             rank);
    int64_t const at = axis < 0 ? axis + rank : axis;
    if (at == 1) return joinFrom(node, x, 1);
    return reshape(node, x, {productOf(node, x, 0, at), productOf(node, x, at, rank)});
}

std::vector<Tensor*> importFlatten(NodeReader& node) { return {flatten(node, node.input(0), node.integer("axis", 1))}; }

/// The side of the square of elements that moves between depth and space.
int64_t blockSize(NodeReader& node) {
    if (node.input(0)->shape.size() != 4)
        fail(ErrorCode::InvalidModel, "input 0 has shape ", node.input(0)->shape, "; expected [N,C,H,W]");
    int64_t const block = node.integer("blocksize");
    if (block < 1 || block > INT32_MAX) // its square is computed
        fail(ErrorCode::InvalidModel, "blocksize is ", block, "; expected 1 to ", INT32_MAX);
    return block;
}

/// Whether the elements of one channel are contiguous: CRD. DCR (column, row, depth) otherwise.
bool channelsFirst(NodeReader& node) {
    std::string const mode = node.string("mode", "DCR");
    if (mode != "DCR" && mode != "CRD") fail(ErrorCode::InvalidModel, "mode is \"", mode, "\"; expected DCR or CRD");
    return mode == "CRD";
}

// X [N,C,H,W] → [N,b,b,C/b²,H,W] (or, column first, [N,C/b²,b,b,H,W]) → [N,C/b²,H,b,W,b] → Y [N,C/b²,H·b,W·b]
std::vector<Tensor*> importDepthToSpace(NodeReader& node) {
    Tensor* x = node.input(0);
    int64_t const b = blockSize(node);
    bool const columnFirst = channelsFirst(node); // since opset 11
    std::vector<Tensor*> shape{extents({node, x}, 0, 1), list(node, {b, b}), extents({node, x}, 2, 4)};
    shape.insert(shape.begin() + (columnFirst ? 1 : 2), quotientOf(node, x, 1, b * b));
    Tensor* const pieces = reshape(
        node, x, shape, columnFirst ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2});
    return {reshape(node, pieces,
                    {extents({node, pieces}, 0, 2), productOf(node, pieces, 2, 4), productOf(node, pieces, 4, 6)})};
}

// X [N,C,H,W] → [N,C,H/b,b,W/b,b] → [N,b,b,C,H/b,W/b] (or, CRD, [N,C,b,b,H/b,W/b]) → Y [N,C·b²,H/b,W/b]
std::vector<Tensor*> importSpaceToDepth(NodeReader& node) {
    Tensor* x = node.input(0);
    int64_t const b = blockSize(node);
    Tensor* const block = list(node, {b});
    bool const columnFirst = channelsFirst(node); // since opset 28
    Tensor* const pieces =
        reshape(node, x, {extents({node, x}, 0, 2), quotientOf(node, x, 2, b), block, quotientOf(node, x, 3, b), block},
                columnFirst ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4});
    return {reshape(node, pieces,
                    {extents({node, pieces}, 0, 1), productOf(node, pieces, 1, 4), extents({node, pieces}, 4, 6)})};
}

} // namespace

ImporterList shuffleImporters() {
    static constexpr Importer all[]{{"Reshape", importReshape},
                                    {"Transpose", importTranspose},
                                    {"Flatten", importFlatten},
                                    {"DepthToSpace", importDepthToSpace},
                                    {"SpaceToDepth", importSpaceToDepth}};
    return all;
}

} // namespace tenon::onnx
