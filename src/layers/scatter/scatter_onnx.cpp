// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

Scatter::Reduction reductionOf(NodeReader& node) { // since opset 16; min and max since 18
    std::string const name = node.string("reduction", "none");
    if (name == "none") return Scatter::Reduction::None;
    if (name == "add") return Scatter::Reduction::Add;
    if (name == "mul") return Scatter::Reduction::Mul;
    if (name == "min") return Scatter::Reduction::Min;
    if (name == "max") return Scatter::Reduction::Max;
    fail(ErrorCode::InvalidModel, "reduction is \"", name, "\"; expected none, add, mul, min or max");
}

std::vector<Tensor*> import(NodeReader& node, Scatter const& layer) {
    return {node.add(layer, {node.input(0), node.input(1), node.input(2)})};
}

std::vector<Tensor*> importElements(NodeReader& node) { // Scatter is its name before opset 11
    Scatter layer;
    layer.axis = node.integer("axis", 0);
    layer.reduction = reductionOf(node);
    return import(node, layer);
}

std::vector<Tensor*> importTuples(NodeReader& node) {
    Scatter layer;
    layer.mode = Scatter::Mode::ND;
    layer.reduction = reductionOf(node);
    return import(node, layer);
}

constexpr Importer kAll[]{
    {"ScatterElements", importElements}, {"Scatter", importElements}, {"ScatterND", importTuples}};

} // namespace

ImporterList scatterImporters() { return kAll; }

} // namespace tenon::onnx
