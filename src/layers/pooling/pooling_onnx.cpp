// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "base/error.h"
#include "onnx/importer.h"
#include "onnx/window.h"

namespace tenon::onnx {
namespace {

Pooling readPooling(NodeReader& node, PoolingType type) {
    size_t const axes = spatialAxes(node);
    Pooling layer;
    layer.type = type;
    layer.window = readWindow(node, axes);
    layer.windowSize = node.integers("kernel_shape", {});
    if (layer.windowSize.size() != axes)
        fail(ErrorCode::InvalidModel, "kernel_shape is [", joined(layer.windowSize), "]; expected ", axes,
             " numbers for ", axes, " spatial axes");
    bool const roundsUp = node.integer("ceil_mode", 0) != 0;
    if (roundsUp && layer.window.paddingMode == PaddingMode::ExplicitRoundDown)
        layer.window.paddingMode = PaddingMode::CaffeRoundUp;
    return layer;
}

std::vector<Tensor*> importMaxPool(NodeReader& node) {
    Pooling layer = readPooling(node, PoolingType::Max);
    layer.indices = node.hasOutput(1);
    layer.columnMajorIndices = node.integer("storage_order", 0) != 0;
    return node.addLayer(std::make_unique<Pooling>(std::move(layer)), {node.input(0)})->outputs();
}

std::vector<Tensor*> importAveragePool(NodeReader& node) {
    Pooling layer = readPooling(node, PoolingType::Average);
    layer.averageCountExcludesPadding = node.integer("count_include_pad", 0) == 0;
    return {node.add(std::move(layer), {node.input(0)})};
}

std::vector<Tensor*> importLpPool(NodeReader& node) {
    Pooling layer = readPooling(node, PoolingType::Lp);
    layer.p = node.opset() >= 2 ? static_cast<double>(node.integer("p", 2)) : double{node.real("p", 2)};
    return {node.add(std::move(layer), {node.input(0)})};
}

constexpr Importer kAll[]{{"MaxPool", importMaxPool}, {"AveragePool", importAveragePool}, {"LpPool", importLpPool}};

} // namespace

ImporterList poolingImporters() { return kAll; }

} // namespace tenon::onnx
