// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/affine_grid/affine_grid.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importAffineGrid(NodeReader& node) {
    AffineGrid layer;
    layer.alignCorners = node.integer("align_corners", 0) != 0;
    return {node.add(layer, {node.input(0), node.input(1)})};
}

} // namespace

ImporterList affineGridImporters() {
    static constexpr Importer all[]{{"AffineGrid", importAffineGrid}};
    return all;
}

} // namespace tenon::onnx
