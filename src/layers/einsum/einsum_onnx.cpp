// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/einsum/einsum.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importEinsum(NodeReader& node) {
    Einsum layer;
    if (!node.has("equation")) fail(ErrorCode::InvalidModel, "attribute 'equation' is missing");
    layer.equation = node.string("equation", "");
    std::vector<Tensor*> inputs;
    for (int i = 0; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    return {node.add(std::move(layer), std::move(inputs))};
}

} // namespace

ImporterList einsumImporters() {
    static constexpr Importer all[] = {{"Einsum", importEinsum}};
    return all;
}

} // namespace tenon::onnx
