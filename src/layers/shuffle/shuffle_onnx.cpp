// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle_onnx.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"

#include <numeric>

namespace tenon::onnx {
namespace {

Tensor* list(NodeReader& node, std::vector<int64_t> const& extents) {
    return node.constant(Literal::of({static_cast<int64_t>(extents.size())}, extents));
}

/// The extents of axes [from, to) of x, as a list.
Tensor* extents(NodeReader& node, Tensor* x, int64_t from, int64_t to) {
    ShapeOf layer;
    layer.start = from;
    layer.end = to;
    return node.add(layer, {x});
}

/// The product of the extents of axes [from, to) of x, as a list of one.
Tensor* product(NodeReader& node, Tensor* x, int64_t from, int64_t to) {
    ShapeOf layer;
    layer.start = from;
    layer.end = to;
    layer.volume = true;
    return node.add(Shuffle::reshaping({1}), {node.add(layer, {x})});
}

Tensor* concatenate(NodeReader& node, std::vector<Tensor*> lists) {
    return node.add(Concatenation{}, std::move(lists));
}

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

std::vector<Tensor*> importFlatten(NodeReader& node) { return {flatten(node, node.input(0), node.integer("axis", 1))}; }

/// The side of the square of elements that moves between depth and space.
int64_t blockSize(NodeReader& node) {
    if (node.input(0)->shape.size() != 4)
        fail(ErrorCode::InvalidModel, "input 0 has shape ", node.input(0)->shape, "; expected [N,C,H,W]");
    int64_t const block = node.integer("blocksize");
    if (block < 1) fail(ErrorCode::InvalidModel, "blocksize is ", block, "; expected 1 or more");
    return block;
}

/// Whether the elements of one channel stand together: CRD. DCR (column, row, depth) otherwise.
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
    Tensor* depth = columnFirst ? list(node, {-1, b, b}) : list(node, {b, b, -1});
    Shuffle apart;
    apart.secondTranspose =
        columnFirst ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
    Tensor* pieces = node.add(apart, {x, concatenate(node, {extents(node, x, 0, 1), depth, extents(node, x, 2, 4)})});
    Tensor* joined =
        concatenate(node, {extents(node, pieces, 0, 2), product(node, pieces, 2, 4), product(node, pieces, 4, 6)});
    return {node.add(Shuffle{}, {pieces, joined})};
}

// X [N,C,H,W] → [N,C,H/b,b,W] → [N,C,H/b,b,W/b,b] → [N,b,b,C,H/b,W/b] (or, CRD, [N,C,b,b,H/b,W/b]) → Y
// [N,C·b²,H/b,W/b]
std::vector<Tensor*> importSpaceToDepth(NodeReader& node) {
    Tensor* x = node.input(0);
    int64_t const b = blockSize(node);
    Tensor* rows = node.add(
        Shuffle{}, {x, concatenate(node, {extents(node, x, 0, 2), list(node, {-1, b}), extents(node, x, 3, 4)})});
    Shuffle apart;
    apart.secondTranspose = channelsFirst(node) ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} // since opset 28
                                                : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
    Tensor* pieces = node.add(apart, {rows, concatenate(node, {extents(node, rows, 0, 4), list(node, {-1, b})})});
    return {node.add(Shuffle{}, {pieces, concatenate(node, {extents(node, pieces, 0, 1), list(node, {-1}),
                                                            extents(node, pieces, 4, 6)})})};
}

} // namespace

/// What the extents behind the first one come to; -1 where they are not all known, which says nothing of no elements.
static int64_t restOf(Shape const& shape) {
    Shape const rest(shape.begin() + 1, shape.end());
    return isConstant(rest) && toDims(rest).volume() > 0 ? toDims(rest).volume() : -1;
}

Tensor* flatten(NodeReader& node, Tensor* x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    if (axis < -rank || axis > rank)
        fail(ErrorCode::InvalidModel, "axis is ", axis, " and input 0 of rank ", rank, "; give one from ", -rank,
             " to ", rank);
    int64_t const at = axis < 0 ? axis + rank : axis;
    if (at == 1) return node.add(Shuffle::reshaping({0, restOf(x->shape)}), {x});
    return node.add(Shuffle{}, {x, concatenate(node, {product(node, x, 0, at), product(node, x, at, rank)})});
}

Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like) {
    Shuffle layer;
    layer.zeroIsPlaceholder = false;
    return node.add(std::move(layer), {x, node.add(ShapeOf{}, {like})});
}

ImporterList shuffleImporters() {
    static constexpr Importer all[]{{"Reshape", importReshape},
                                    {"Transpose", importTranspose},
                                    {"Flatten", importFlatten},
                                    {"DepthToSpace", importDepthToSpace},
                                    {"SpaceToDepth", importSpaceToDepth}};
    return all;
}

} // namespace tenon::onnx
