// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "layers/cast/cast.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// ONNX allows any type with arithmetic for indices and depth.
Tensor* asIndex(NodeReader& node, Tensor* x) {
    if (x->type == DataType::Int32 || x->type == DataType::Int64) return x;
    Cast cast;
    cast.to = DataType::Int64;
    return node.add(cast, {x});
}

std::vector<Tensor*> importOneHot(NodeReader& node) {
    OneHot layer;
    layer.axis = node.integer("axis", -1);
    Tensor* const depth = asIndex(node, node.input(1));
    return {node.add(layer, {asIndex(node, node.input(0)), node.input(2), depth})};
}

constexpr Importer kAll[]{{"OneHot", importOneHot}};

} // namespace

ImporterList oneHotImporters() { return kAll; }

} // namespace tenon::onnx
