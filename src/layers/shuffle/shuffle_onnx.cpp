// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle_onnx.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/elementwise/elementwise.h"
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

/// The extent of an axis of x divided by a number, as a list of one. The reshape that reads it finds a remainder.
Tensor* part(NodeReader& node, Tensor* x, int64_t axis, int64_t divisor) {
    return node.add(elementwise(PointwiseOp::FloorDiv), {extents(node, x, axis, axis + 1), list(node, {divisor})});
}

// X [N,C,H,W] → [N,b,b,C/b²,H,W] (or, column first, [N,C/b²,b,b,H,W]) → [N,C/b²,H,b,W,b] → Y [N,C/b²,H·b,W·b]
std::vector<Tensor*> importDepthToSpace(NodeReader& node) {
    Tensor* x = node.input(0);
    int64_t const b = blockSize(node);
    bool const columnFirst = channelsFirst(node); // since opset 11
    std::vector<Tensor*> shape{extents(node, x, 0, 1), list(node, {b, b}), extents(node, x, 2, 4)};
    shape.insert(shape.begin() + (columnFirst ? 1 : 2), part(node, x, 1, b * b));
    Tensor* const pieces = reshape(
        node, x, shape, columnFirst ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2});
    return {
        reshape(node, pieces, {extents(node, pieces, 0, 2), product(node, pieces, 2, 4), product(node, pieces, 4, 6)})};
}

// X [N,C,H,W] → [N,C,H/b,b,W/b,b] → [N,b,b,C,H/b,W/b] (or, CRD, [N,C,b,b,H/b,W/b]) → Y [N,C·b²,H/b,W/b]
std::vector<Tensor*> importSpaceToDepth(NodeReader& node) {
    Tensor* x = node.input(0);
    int64_t const b = blockSize(node);
    Tensor* const block = list(node, {b});
    bool const columnFirst = channelsFirst(node); // since opset 28
    Tensor* const pieces =
        reshape(node, x, {extents(node, x, 0, 2), part(node, x, 2, b), block, part(node, x, 3, b), block},
                columnFirst ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4});
    return {
        reshape(node, pieces, {extents(node, pieces, 0, 1), product(node, pieces, 1, 4), extents(node, pieces, 4, 6)})};
}

} // namespace

Tensor* reshape(NodeReader& node, Tensor* x, std::vector<Tensor*> const& lists, std::vector<int64_t> transpose) {
    Shuffle layer;
    layer.zeroIsPlaceholder = false;
    layer.secondTranspose = std::move(transpose);
    return node.add(std::move(layer), {x, lists.size() == 1 ? lists[0] : concatenate(node, lists)});
}

Tensor* joinFrom(NodeReader& node, Tensor* x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    Shape const joined(x->shape.begin() + axis, x->shape.end());
    int64_t const known = isConstant(joined) ? toDims(joined).volume() : 0;
    if (known > 0) {
        std::vector<int64_t> shape(static_cast<size_t>(axis), 0); // as they are
        shape.push_back(known);
        return node.add(Shuffle::reshaping(std::move(shape)), {x});
    }
    std::vector<Tensor*> lists{product(node, x, axis, rank)};
    if (axis > 0) lists.insert(lists.begin(), extents(node, x, 0, axis));
    return reshape(node, x, lists);
}

Tensor* flatten(NodeReader& node, Tensor* x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    if (axis < -rank || axis > rank)
        fail(ErrorCode::InvalidModel, "axis is ", axis, " and input 0 of rank ", rank, "; give one from ", -rank,
             " to ", rank);
    int64_t const at = axis < 0 ? axis + rank : axis;
    if (at == 1) return joinFrom(node, x, 1);
    return reshape(node, x, {product(node, x, 0, at), product(node, x, at, rank)});
}

Tensor* splitLast(NodeReader& node, Tensor* x, int64_t parts, std::string_view what) {
    auto const last = static_cast<int64_t>(x->shape.size()) - 1;
    int64_t const known = x->shape.back().constantOr(0);
    if (known % parts != 0)
        fail(ErrorCode::InvalidModel, "'", x->name, "' has shape ", x->shape, ", whose last extent ", what, " = ",
             parts, " does not divide");
    if (known == 0)
        return reshape(node, x, {extents(node, x, 0, last), list(node, {parts}), part(node, x, last, parts)});
    std::vector<int64_t> shape(static_cast<size_t>(last), 0); // as they are
    shape.insert(shape.end(), {parts, known / parts});
    return node.add(Shuffle::reshaping(std::move(shape)), {x});
}

Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like) {
    return reshape(node, x, {node.add(ShapeOf{}, {like})});
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
