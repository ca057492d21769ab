// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importUnsqueeze(NodeReader& node) { // the axes are an input since opset 13
    if (node.inputCount() > 1 || !node.has("axes")) return {node.add(Unsqueeze{}, {node.input(0), node.input(1)})};
    auto const axes = node.integers("axes", {});
    Tensor* list = node.constant(Literal::of({static_cast<int64_t>(axes.size())}, axes));
    return {node.add(Unsqueeze{}, {node.input(0), list})};
}

} // namespace

ImporterList unsqueezeImporters() {
    static constexpr Importer all[]{{"Unsqueeze", importUnsqueeze}};
    return all;
}

} // namespace tenon::onnx
