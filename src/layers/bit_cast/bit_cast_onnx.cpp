// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/bit_cast/bit_cast.h"

#include "base/error.h"
#include "onnx/cast_as.h"
#include "onnx/types.h"

namespace tenon::onnx {
namespace {

/// Whether the graph stores elements with the bits of the file.
bool keepsBits(ElementType type) {
    return graphType(type) && bitsOf(*graphType(type)) == bitsOf(type) && type != ElementType::UInt64;
}

void expectBits(ElementType type) {
    if (!keepsBits(type))
        fail(ErrorCode::Unsupported, "the bits of ", type, " are not available, since it is stored as ",
             *graphType(type), "; use Cast");
}

std::vector<Tensor*> importBitCast(NodeReader& node) {
    int64_t const to = node.integer("to");
    BitCast layer;
    layer.to = dataTypeOf(to);
    ElementType const from = elementType(node.elementType(0));
    ElementType const type = elementType(to);
    if (bitsOf(from) != bitsOf(type))
        fail(ErrorCode::InvalidModel, "input 0 is ", from, " of ", bitsOf(from), " bits, and to is ", type, " of ",
             bitsOf(type), "; expected the same width");
    bool const wraps = wholeRange(from) && wholeRange(type); // of the same width
    if (wraps || (type == ElementType::Bool && wholeRange(from))) return {castAs(node, 0, to, {})};
    expectBits(from);
    expectBits(type);
    Tensor* const y = node.add(layer, {node.input(0)});
    node.setElementType(*y, to);
    return {y};
}

} // namespace

ImporterList bitCastImporters() {
    static constexpr Importer all[]{{"BitCast", importBitCast}};
    return all;
}

} // namespace tenon::onnx
