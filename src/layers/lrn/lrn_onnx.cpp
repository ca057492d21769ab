// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importLrn(NodeReader& node) {
    Lrn layer;
    layer.window = node.integer("size");
    layer.alpha = node.real("alpha", 0.0001F);
    layer.beta = node.real("beta", 0.75F);
    layer.k = node.real("bias", 1);
    return {node.add(layer, {node.input(0)})};
}

constexpr Importer kAll[]{{"LRN", importLrn}};

} // namespace

ImporterList lrnImporters() { return kAll; }

} // namespace tenon::onnx
