// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/nms/nms.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

Tensor* optional(NodeReader& node, int input) { return node.hasInput(input) ? node.input(input) : nullptr; }

std::vector<Tensor*> importNonMaxSuppression(NodeReader& node) {
    Nms layer;
    layer.format = node.integer("center_point_box", 0) != 0 ? Nms::Format::Centers : Nms::Format::Corners;
    layer.classFirst = true;
    Tensor* const most = optional(node, 2); // without it no box is selected
    return {node.add(layer, {node.input(0), node.input(1), most ? most : node.constant(Literal::scalar<int64_t>(0)),
                             optional(node, 3), optional(node, 4)})};
}

} // namespace

ImporterList nmsImporters() {
    static constexpr Importer all[]{{"NonMaxSuppression", importNonMaxSuppression}};
    return all;
}

} // namespace tenon::onnx
