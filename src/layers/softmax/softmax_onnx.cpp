// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"
#include "onnx/reshapes.h"

namespace tenon::onnx {
namespace {

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
    Tensor* const x = node.input(0);
    return {reshapeLike(node, node.add(std::move(layer), {joinFrom(node, x, axis)}), x)};
}

constexpr Importer kAll[]{{"Softmax", importSoftmax}, {"LogSoftmax", importSoftmax}};

} // namespace

ImporterList softmaxImporters() { return kAll; }

} // namespace tenon::onnx
