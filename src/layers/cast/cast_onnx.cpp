// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "base/error.h"
#include "layers/elementwise/elementwise.h"
#include "onnx/importer.h"
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

Tensor* castTo(NodeReader& node, DataType type) {
    node.ignore({"saturate", "round_mode"}); // of 8-bit floats, which cannot be cast
    Cast layer;
    layer.to = type;
    return node.add(layer, {node.input(0)});
}

Tensor* apply(NodeReader& node, PointwiseOp op, Tensor* x, int64_t number) {
    Literal const scalar =
        dispatch(x->type, [&]<class T>(TypeTag<T>) { return Literal::scalar(static_cast<T>(number)); });
    return node.add(elementwise(op), {x, node.constant(scalar)});
}

bool isSignedInteger(ElementType type) { return type == ElementType::Int16; } // of those that become wider

/// Whether the graph has only a wider type, and x may hold what the narrow one does not.
bool mayExceed(DataType x, ElementType type) {
    auto const inGraph = graphType(type);
    if (!inGraph || !isInteger(*inGraph) || bitsOf(*inGraph) <= bitsOf(type) || x == DataType::Bool) return false;
    if (x == DataType::UInt8) return bitsOf(type) < 8;
    return x != DataType::Int8 || !isSignedInteger(type);
}

/// The lowest bits of an integer; a float beyond the ends becomes the nearer one, as for all types.
Tensor* narrowed(NodeReader& node, Tensor* x, ElementType type) {
    int64_t const count = int64_t{1} << bitsOf(type);
    int64_t const low = isSignedInteger(type) ? -count / 2 : 0;
    if (isFloat(node.input(0)->type))
        return apply(node, PointwiseOp::Min, apply(node, PointwiseOp::Max, x, low), low + count - 1);
    if (low == 0) return apply(node, PointwiseOp::Mod, x, count);
    return apply(node, PointwiseOp::Sum, apply(node, PointwiseOp::Mod, apply(node, PointwiseOp::Sub, x, low), count),
                 low);
}

std::vector<Tensor*> importCast(NodeReader& node) {
    int64_t const number = target(node);
    ElementType const type = elementType(number);
    Tensor* const y = castTo(node, dataTypeOf(number));
    return {mayExceed(node.input(0)->type, type) ? narrowed(node, y, type) : y};
}

std::vector<Tensor*> importCastLike(NodeReader& node) { return {castTo(node, node.input(1)->type)}; }

} // namespace

ImporterList castImporters() {
    static constexpr Importer all[] = {{"Cast", importCast}, {"CastLike", importCastLike}};
    return all;
}

} // namespace tenon::onnx
