// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_convolution/deform_convolution.h"

#include "onnx/importer.h"
#include "onnx/window.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importDeformConv(NodeReader& node) {
    DeformConvolution layer;
    checkKernelShape(node);
    layer.strides = node.integers("strides", layer.strides);
    layer.dilations = node.integers("dilations", layer.dilations);
    layer.pads = node.integers("pads", layer.pads);
    layer.parts = node.integer("offset_group", 1);
    layer.groups = node.integer("group", 1);
    std::vector<Tensor*> inputs;
    for (int i = 0; i < DeformConvolution::kInputs; ++i) {
        bool const isThere = i < DeformConvolution::kBias || node.hasInput(i);
        inputs.push_back(isThere ? node.input(i) : nullptr);
    }
    while (inputs.back() == nullptr) inputs.pop_back();
    return {node.add(std::move(layer), std::move(inputs))};
}

} // namespace

ImporterList deformConvolutionImporters() {
    static constexpr Importer all[]{{"DeformConv", importDeformConv}};
    return all;
}

} // namespace tenon::onnx
