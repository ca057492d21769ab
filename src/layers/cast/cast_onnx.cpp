// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/error.h"
#include "onnx/cast_as.h"
#include "onnx/types.h"

namespace tenon::onnx {
namespace {

/// Until opset 5 the attribute was the type's name.
int64_t target(NodeReader& node) {
    if (node.opset() >= 6) return node.integer("to");
    std::string const name = node.string("to", "");
    constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT", "UINT8",  "INT8", "UINT16",  "INT16",
                                           "INT32",     "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE"};
    for (size_t i = 1; i < std::size(kNames); ++i) {
        if (name == kNames[i]) return static_cast<int64_t>(i);
    }
    fail(ErrorCode::InvalidModel, "attribute to is \"", name, "\"; expected the name of a type, such as FLOAT");
}

CastRules rulesOf(NodeReader& node) {
    CastRules rules{.saturate = node.integer("saturate", 1) != 0};
    std::string const mode = node.string("round_mode", "up");
    if (mode == "down") {
        rules.rounding = PowerRounding::Down;
    } else if (mode == "nearest") {
        rules.rounding = PowerRounding::Nearest;
    } else if (mode != "up") {
        fail(ErrorCode::InvalidModel, "attribute round_mode is \"", mode, "\"; expected up, down or nearest");
    }
    return rules;
}

std::vector<Tensor*> importCast(NodeReader& node) { return {castAs(node, 0, target(node), rulesOf(node))}; }

std::vector<Tensor*> importCastLike(NodeReader& node) { return {castAs(node, 0, node.elementType(1), rulesOf(node))}; }

} // namespace

ImporterList castImporters() {
    static constexpr Importer all[] = {{"Cast", importCast}, {"CastLike", importCastLike}};
    return all;
}

} // namespace tenon::onnx
