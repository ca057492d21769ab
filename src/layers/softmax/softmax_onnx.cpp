// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// X [d0,…,dn] → [d0,…,all from `axis` on]
Tensor* flattenedFrom(NodeReader& node, int axis) {
    std::vector<int64_t> extents(static_cast<size_t>(axis), 0); // 0: as it is
    extents.push_back(-1);
    return node.add(Shuffle::reshaping(std::move(extents)), {node.input(0)});
}

Tensor* shapedLike(NodeReader& node, Tensor* x, Tensor* like) {
    if (isConstant(like->shape)) {
        Dims const dims = toDims(like->shape);
        return node.add(Shuffle::reshaping({dims.begin(), dims.end()}), {x});
    }
    Shuffle shuffle;
    shuffle.reshapes = true;
    return node.add(std::move(shuffle), {x, node.add(ShapeOf{}, {like})});
}

std::vector<Tensor*> importSoftmax(NodeReader& node) {
    Softmax layer;
    layer.log = node.op() == "LogSoftmax";
    auto const rank = static_cast<int>(node.input(0)->shape.size());
    if (node.opset() >= 13) {
        layer.axis = node.integer("axis", -1);
        return {node.add(std::move(layer), {node.input(0)})};
    }
    // before, all axes from `axis` on were one
    int64_t const given = node.integer("axis", 1);
    int const axis = given == rank ? rank : resolveAxis(given, rank);
    if (axis == rank - 1) return {node.add(std::move(layer), {node.input(0)})};
    return {shapedLike(node, node.add(std::move(layer), {flattenedFrom(node, axis)}), node.input(0))};
}

constexpr Importer kAll[]{{"Softmax", importSoftmax}, {"LogSoftmax", importSoftmax}};

} // namespace

ImporterList softmaxImporters() { return kAll; }

} // namespace tenon::onnx
