// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fill/fill.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/elementwise/elementwise.h"
#include "layers/shape/shape.h"
#include "onnx/importer.h"

#include <bit>

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importRange(NodeReader& node) {
    Fill layer;
    layer.extent = Fill::Extent::Limit;
    layer.type = node.input(0)->type;
    int64_t const stash = node.integer("stash_type", 1); // since opset 27; applies to 16-bit types only
    if (bitsOf(layer.type) == 16 && dataTypeOf(stash) != DataType::Float32)
        fail(ErrorCode::Unsupported, "stash_type is ", stash, "; ", layer.type,
             " is computed in float32 (1), each element from the first");
    return {node.add(layer, {node.input(1), node.input(0), node.input(2)})};
}

Tensor* castTo(NodeReader& node, DataType type, Tensor* x) {
    Cast layer;
    layer.to = type;
    return node.add(layer, {x});
}

/// Random numbers of a type, with the node's seed if it has one.
Fill randomOf(NodeReader& node, Fill::Operation operation, DataType type) {
    Fill layer;
    layer.operation = operation;
    layer.type = type;
    layer.seeded = node.has("seed");
    if (layer.seeded) layer.seed = std::bit_cast<int32_t>(node.real("seed", 0)); // different floats are different seeds
    return layer;
}

Fill uniformOf(NodeReader& node, DataType type) {
    Fill layer = randomOf(node, Fill::Operation::RandomUniform, type);
    layer.alpha = double{node.real("low", 0)};
    layer.beta = double{node.real("high", 1)};
    return layer;
}

Fill normalOf(NodeReader& node, DataType type) {
    Fill layer = randomOf(node, Fill::Operation::RandomNormal, type);
    layer.alpha = double{node.real("mean", 0)};
    layer.beta = double{node.real("scale", 1)};
    return layer;
}

DataType typeLike(NodeReader& node) {
    return node.has("dtype") ? dataTypeOf(node.integer("dtype")) : node.input(0)->type;
}

std::vector<Tensor*> ofShape(NodeReader& node, Fill layer) {
    layer.dims = node.integers("shape", {});
    return {node.add(std::move(layer), {})};
}

Tensor* addLike(NodeReader& node, Fill layer) {
    return node.add(std::move(layer), {node.add(ShapeOf{}, {node.input(0)})});
}

std::vector<Tensor*> importRandomUniform(NodeReader& node) {
    return ofShape(node, uniformOf(node, dataTypeOf(node.integer("dtype", 1))));
}
std::vector<Tensor*> importRandomNormal(NodeReader& node) {
    return ofShape(node, normalOf(node, dataTypeOf(node.integer("dtype", 1))));
}
std::vector<Tensor*> importRandomUniformLike(NodeReader& node) {
    return {addLike(node, uniformOf(node, typeLike(node)))};
}
std::vector<Tensor*> importRandomNormalLike(NodeReader& node) {
    return {addLike(node, normalOf(node, typeLike(node)))};
}

/// 1 with probability x: where a number of [0, 1) is below it.
std::vector<Tensor*> importBernoulli(NodeReader& node) {
    Tensor* x = node.input(0);
    DataType const type = typeLike(node);
    if (x->type != DataType::Float32) x = castTo(node, DataType::Float32, x);
    Tensor* number = addLike(node, randomOf(node, Fill::Operation::RandomUniform, DataType::Float32));
    return {castTo(node, type, node.add(elementwise(PointwiseOp::Less), {number, x}))};
}

/// Column less row less k is 0 on that diagonal.
std::vector<Tensor*> importEyeLike(NodeReader& node) {
    DataType const type = typeLike(node);
    if (size_t const rank = node.input(0)->shape.size(); rank != 2)
        fail(ErrorCode::InvalidModel, "input 0 has rank ", rank, "; expected a matrix");
    Fill layer;
    layer.type = DataType::Int64;
    layer.alphaInteger = -std::max(node.integer("k", 0), -INT64_MAX);
    Tensor* steps = node.constant(Literal::of<int64_t>({2}, {-1, 1}));
    Tensor* number = node.add(std::move(layer), {node.add(ShapeOf{}, {node.input(0)}), nullptr, steps});
    Tensor* zero = node.constant(Literal::scalar<int64_t>(0));
    return {castTo(node, type, node.add(elementwise(PointwiseOp::Equal), {number, zero}))};
}

} // namespace

ImporterList fillImporters() {
    static constexpr Importer all[]{{"Range", importRange},
                                    {"RandomUniform", importRandomUniform},
                                    {"RandomNormal", importRandomNormal},
                                    {"RandomUniformLike", importRandomUniformLike},
                                    {"RandomNormalLike", importRandomNormalLike},
                                    {"Bernoulli", importBernoulli},
                                    {"EyeLike", importEyeLike}};
    return all;
}

} // namespace tenon::onnx
