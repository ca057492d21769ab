// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/col2im/col2im.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importCol2Im(NodeReader& node) {
    Col2Im layer;
    layer.strides = node.integers("strides", {});
    layer.dilations = node.integers("dilations", {});
    layer.pads = node.integers("pads", {});
    return {node.add(std::move(layer), {node.input(0), node.input(1), node.input(2)})};
}

} // namespace

ImporterList col2imImporters() {
    static constexpr Importer all[]{{"Col2Im", importCol2Im}};
    return all;
}

} // namespace tenon::onnx
