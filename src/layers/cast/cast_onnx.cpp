// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// Until opset 5 the type was written by its name.
DataType target(NodeReader& node) {
    if (node.opset() >= 6) return dataTypeOf(node.integer("to"));
    std::string const name = node.string("to", "");
    constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT", "UINT8",  "INT8", "UINT16",  "INT16",
                                           "INT32",     "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE"};
    for (size_t i = 1; i < std::size(kNames); ++i) {
        if (name == kNames[i]) return dataTypeOf(static_cast<int64_t>(i));
    }
    fail(ErrorCode::InvalidModel, "attribute to is \"", name, "\"; expected the name of a type, such as FLOAT");
}

std::vector<Tensor*> castTo(NodeReader& node, DataType type) {
    Cast layer;
    layer.to = type;
    return {node.add(layer, {node.input(0)})};
}

std::vector<Tensor*> importCast(NodeReader& node) { return castTo(node, target(node)); }
std::vector<Tensor*> importCastLike(NodeReader& node) { return castTo(node, node.input(1)->type); }

} // namespace

ImporterList castImporters() {
    static constexpr Importer all[] = {{"Cast", importCast}, {"CastLike", importCastLike}};
    return all;
}

} // namespace tenon::onnx
