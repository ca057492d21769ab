// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "onnx/importer.h"
#include "onnx/window.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importConv(NodeReader& node) {
    Convolution layer;
    layer.window = readWindow(node, spatialAxes(node));
    checkKernelShape(node);
    layer.groups = node.integer("group", 1);
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    return {node.add(std::move(layer), inputs)};
}

constexpr Importer kAll[]{{"Conv", importConv}};

} // namespace

ImporterList convolutionImporters() { return kAll; }

} // namespace tenon::onnx
