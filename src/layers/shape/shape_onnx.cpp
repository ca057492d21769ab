// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shape/shape.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importShape(NodeReader& node) { // start and end since opset 15
    ShapeOf layer;
    layer.start = node.integer("start", 0);
    layer.end = node.integer("end", INT64_MAX);
    return {node.add(layer, {node.input(0)})};
}

std::vector<Tensor*> importSize(NodeReader& node) {
    ShapeOf layer;
    layer.volume = true;
    return {node.add(layer, {node.input(0)})};
}

} // namespace

ImporterList shapeImporters() {
    static constexpr Importer all[]{{"Shape", importShape}, {"Size", importSize}};
    return all;
}

} // namespace tenon::onnx
