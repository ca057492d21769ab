// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/top_k.h"

#include "layers/squeeze/squeeze.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importTopK(NodeReader& node) {
    TopK layer;
    layer.axis = node.integer("axis", -1);
    layer.operation = node.integer("largest", 1) != 0 ? TopK::Operation::Max : TopK::Operation::Min;
    layer.indicesType = DataType::Int64;
    node.ignore({"sorted"}); // sorted is one of the orders that "unsorted" allows
    std::vector<Tensor*> inputs{node.input(0)};
    if (node.opset() < 10)
        layer.k = node.integer("k");
    else
        inputs.push_back(node.input(1));
    return node.addLayer(std::make_unique<TopK>(layer), std::move(inputs))->outputs();
}

/// Where the best element along an axis lies, with extent 1 there.
Tensor* placeOfBest(NodeReader& node, Tensor* x, TopK layer) {
    layer.nanFirst = true;
    layer.indicesType = DataType::Int64;
    return node.addLayer(std::make_unique<TopK>(layer), {x})->output(1);
}

std::vector<Tensor*> importArg(NodeReader& node) {
    TopK layer;
    layer.operation = node.op() == "ArgMax" ? TopK::Operation::Max : TopK::Operation::Min;
    layer.axis = node.integer("axis", 0);
    layer.lastFirst = node.integer("select_last_index", 0) != 0; // since opset 12
    bool const keeps = node.integer("keepdims", 1) != 0;
    Tensor* const place = placeOfBest(node, node.input(0), layer);
    if (keeps) return {place};
    return {node.add(Squeeze{}, {place, node.constant(Literal::of<int64_t>({1}, {layer.axis}))})};
}

constexpr Importer kAll[]{{"TopK", importTopK}, {"ArgMax", importArg}, {"ArgMin", importArg}};

} // namespace

ImporterList topKImporters() { return kAll; }

} // namespace tenon::onnx
