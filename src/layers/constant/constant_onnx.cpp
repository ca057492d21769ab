// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/constant/constant.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// The value, from whichever of its attributes is set; opsets before 12 have "value" only.
Literal valueOf(NodeReader& node) {
    if (node.has("value")) return node.tensor("value");
    if (node.has("value_float")) return Literal::scalar(node.real("value_float", 0));
    if (node.has("value_int")) return Literal::scalar(node.integer("value_int"));
    auto const floats = node.reals("value_floats", {});
    if (node.has("value_floats")) return Literal::of({static_cast<int64_t>(floats.size())}, floats);
    auto const integers = node.integers("value_ints", {});
    if (node.has("value_ints")) return Literal::of({static_cast<int64_t>(integers.size())}, integers);
    for (std::string_view const other : {"value_string", "value_strings", "sparse_value"}) {
        if (node.has(other))
            fail(ErrorCode::Unsupported, "the constant is a ", other,
                 "; dense tensors of numbers and bools are supported");
    }
    fail(ErrorCode::InvalidModel, "has none of the attributes value, value_float, value_floats, value_int, value_ints");
}

std::vector<Tensor*> importConstant(NodeReader& node) {
    return {node.constant(valueOf(node), WeightOrigin::ConstantNode)};
}

} // namespace

ImporterList constantImporters() {
    static constexpr Importer all[]{{"Constant", importConstant}};
    return all;
}

} // namespace tenon::onnx
