// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unique/unique.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importUnique(NodeReader& node) {
    auto layer = std::make_unique<Unique>();
    layer->hasAxis = node.has("axis");
    layer->axis = node.integer("axis", 0);
    layer->sorted = node.integer("sorted", 1) != 0;
    auto outputs = node.addLayer(std::move(layer), {node.input(0)})->outputs();
    outputs.pop_back(); // ONNX has no output for their number
    return outputs;
}

} // namespace

ImporterList uniqueImporters() {
    static constexpr Importer all[]{{"Unique", importUnique}};
    return all;
}

} // namespace tenon::onnx
