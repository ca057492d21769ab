// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importConcat(NodeReader& node) {
    std::vector<Tensor*> inputs;
    for (int i = 0; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    // before opset 4 the axis could be left out
    int64_t const axis = node.opset() < 4 ? node.integer("axis", 1) : node.integer("axis");
    return {node.add(Concatenation::along(axis), std::move(inputs))};
}

} // namespace

ImporterList concatenationImporters() {
    static constexpr Importer all[]{{"Concat", importConcat}};
    return all;
}

} // namespace tenon::onnx
