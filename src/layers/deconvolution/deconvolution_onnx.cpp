// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "onnx/importer.h"
#include "onnx/window.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importConvTranspose(NodeReader& node) {
    size_t const axes = spatialAxes(node);
    Deconvolution layer;
    layer.window = readWindow(node, axes);
    checkKernelShape(node);
    layer.groups = node.integer("group", 1);
    layer.outputPadding = node.integers("output_padding", {});
    layer.outputShape = node.integers("output_shape", {});
    if (layer.outputShape.size() == axes + 2) // some exporters write [N,K,spatial…]
        layer.outputShape.erase(layer.outputShape.begin(), layer.outputShape.begin() + 2);
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    return {node.add(std::move(layer), inputs)};
}

constexpr Importer kAll[]{{"ConvTranspose", importConvTranspose}};

} // namespace

ImporterList deconvolutionImporters() { return kAll; }

} // namespace tenon::onnx
