// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importSqueeze(NodeReader& node) { // the axes are an input since opset 13
    std::vector<Tensor*> inputs{node.input(0)};
    auto const axes = node.integers("axes", {});
    if (node.hasInput(1)) inputs.push_back(node.input(1));
    if (!axes.empty()) inputs.push_back(node.constant(Literal::of({static_cast<int64_t>(axes.size())}, axes)));
    return {node.add(Squeeze{}, std::move(inputs))};
}

} // namespace

ImporterList squeezeImporters() {
    static constexpr Importer all[]{{"Squeeze", importSqueeze}};
    return all;
}

} // namespace tenon::onnx
