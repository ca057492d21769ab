// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/reshapes.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"

namespace tenon::onnx {

Tensor* productOf(NodeReader& node, Tensor* x, int64_t from, int64_t to) {
    return node.add(Shuffle::reshaping({1}), {node.add(ShapeOf::product(from, to), {x})});
}

Tensor* quotientOf(NodeReader& node, Tensor* x, int64_t axis, int64_t divisor) {
    return apply(PointwiseOp::FloorDiv, extents({node, x}, axis, axis + 1), list(node, {divisor}));
}

Tensor* reshape(NodeReader& node, Tensor* x, std::vector<Tensor*> const& lists, std::vector<int64_t> transpose) {
    return node.add(Shuffle::reshapingToInput(std::move(transpose)),
                    {x, lists.size() == 1 ? lists[0] : node.add(Concatenation{}, lists)});
}

Tensor* joinFrom(NodeReader& node, Tensor* x, int64_t axis) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    Shape const joined(x->shape.begin() + axis, x->shape.end());
    int64_t const known = isConstant(joined) ? toDims(joined).volume() : 0;
    if (known > 0) {
        std::vector<int64_t> shape(static_cast<size_t>(axis), 0); // unchanged
        shape.push_back(known);
        return node.add(Shuffle::reshaping(std::move(shape)), {x});
    }
    std::vector<Tensor*> lists{productOf(node, x, axis, rank)};
    if (axis > 0) lists.insert(lists.begin(), extents({node, x}, 0, axis));
    return reshape(node, x, lists);
}

Tensor* splitLast(NodeReader& node, Tensor* x, int64_t parts, std::string_view what) {
    auto const last = static_cast<int64_t>(x->shape.size()) - 1;
    int64_t const known = x->shape.back().constantOr(0);
    if (known % parts != 0)
        fail(ErrorCode::InvalidModel, "'", x->name, "' has shape ", x->shape, ", whose last extent ", what, " = ",
             parts, " does not divide");
    if (known == 0)
        return reshape(node, x, {extents({node, x}, 0, last), list(node, {parts}), quotientOf(node, x, last, parts)});
    std::vector<int64_t> shape(static_cast<size_t>(last), 0); // unchanged
    shape.insert(shape.end(), {parts, known / parts});
    return node.add(Shuffle::reshaping(std::move(shape)), {x});
}

Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like) {
    return reshape(node, x, {node.add(ShapeOf{}, {like})});
}

} // namespace tenon::onnx
