// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/trilu/trilu.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importTrilu(NodeReader& node) {
    Trilu layer;
    layer.upper = node.integer("upper", 1) != 0;
    std::vector<Tensor*> inputs{node.input(0)};
    if (node.hasInput(1)) inputs.push_back(node.input(1));
    return {node.add(layer, std::move(inputs))};
}

} // namespace

ImporterList triluImporters() {
    static constexpr Importer all[]{{"Trilu", importTrilu}};
    return all;
}

} // namespace tenon::onnx
