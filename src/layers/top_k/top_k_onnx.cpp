// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/top_k/top_k.h"

#include "layers/one_hot/one_hot.h"
#include "layers/shape/shape.h"
#include "layers/squeeze/squeeze.h"
#include "onnx/reshapes.h"

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

/// The index of the best element along an axis, whose extent becomes 1.
Tensor* placeOfBest(NodeReader& node, Tensor* x, TopK layer) {
    layer.nanFirst = true;
    layer.indicesType = DataType::Int64;
    return node.addLayer(std::make_unique<TopK>(layer), {x})->output(1);
}

Tensor* without(NodeReader& node, Tensor* x, int64_t axis) {
    return node.add(Squeeze{}, {x, node.constant(Literal::of<int64_t>({1}, {axis}))});
}

std::vector<Tensor*> importArg(NodeReader& node) {
    TopK layer;
    layer.operation = node.op() == "ArgMax" ? TopK::Operation::Max : TopK::Operation::Min;
    layer.axis = node.integer("axis", 0);
    layer.lastFirst = node.integer("select_last_index", 0) != 0; // since opset 12
    bool const keeps = node.integer("keepdims", 1) != 0;
    Tensor* const place = placeOfBest(node, node.input(0), layer);
    return {keeps ? place : without(node, place, layer.axis)};
}

/// 1 at the greatest element along the axis, the first of equal ones; else 0.
Tensor* oneForGreatest(NodeReader& node, Tensor* x, int64_t axis) {
    TopK greatest;
    greatest.axis = axis;
    ShapeOf extent;
    extent.start = axis;
    extent.end = axis + 1;
    OneHot layer;
    layer.axis = axis;
    Literal const values = dispatch(x->type, [&]<class T>(TypeTag<T>) {
        T const offAndOn[]{T(0), T(1)};
        return Literal::copyOf(x->type, {2}, offAndOn);
    });
    Tensor* const place = without(node, placeOfBest(node, x, greatest), axis);
    return node.add(layer, {place, node.constant(values), node.add(extent, {x})});
}

std::vector<Tensor*> importHardmax(NodeReader& node) {
    Tensor* const x = node.input(0);
    auto const rank = static_cast<int>(x->shape.size());
    if (node.opset() >= 13) return {oneForGreatest(node, x, resolveAxis(node.integer("axis", -1), rank))};
    int64_t const given = node.integer("axis", 1); // before, all axes from there on were one
    int64_t const axis = given == rank ? rank : resolveAxis(given, rank);
    return {reshapeLike(node, oneForGreatest(node, joinFrom(node, x, axis), axis), x)};
}

constexpr Importer kAll[]{
    {"TopK", importTopK}, {"ArgMax", importArg}, {"ArgMin", importArg}, {"Hardmax", importHardmax}};

} // namespace

ImporterList topKImporters() { return kAll; }

} // namespace tenon::onnx
