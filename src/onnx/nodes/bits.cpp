// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "onnx/term.h"
#include "onnx/types.h"

namespace tenon::onnx {
namespace {

/// The integers of an operand with their type in the file; the graph's type may be wider.
struct Width {
    int bits;
    bool hasSign;
    bool isOfGraph; // the graph's type has the same bits
};

Width widthOf(NodeReader& node, int input) {
    DataType const inGraph = node.input(input)->type;
    int const bits = static_cast<int>(8 * bytesOf(inGraph, 1));
    bool const hasSign = inGraph != DataType::UInt8;
    using enum ElementType;
    ElementType const inFile = elementType(node.elementType(input));
    if (graphType(inFile) != inGraph || bitsOf(inFile) == bits) return {bits, hasSign, true};
    return {bitsOf(inFile), inFile == Int16, false};
}

double ones(int bits) { return bits < 64 ? static_cast<double>((uint64_t{1} << bits) - 1) : -1; }

template <PointwiseOp kOp> std::vector<Tensor*> importBitwise(NodeReader& node) {
    return {apply(kOp, input(node, 0), input(node, 1))};
}

std::vector<Tensor*> importBitwiseNot(NodeReader& node) {
    Width const width = widthOf(node, 0);
    Term const x = input(node, 0);
    return {apply(PointwiseOp::BitXor, x, x.constant(width.hasSign ? -1 : ones(width.bits)))};
}

/// Clears the bits beyond the type in the file.
Term narrowed(Term const& x, Width const& width) {
    if (width.isOfGraph) return x;
    if (!width.hasSign) return apply(PointwiseOp::BitAnd, x, x.constant(ones(width.bits)));
    Term const more = x.constant(static_cast<double>(8 * bytesOf(x->type, 1)) - width.bits);
    return apply(PointwiseOp::ShiftRight, apply(PointwiseOp::ShiftLeft, x, more), more);
}

std::vector<Tensor*> importBitShift(NodeReader& node) {
    std::string const direction = node.string("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        fail(ErrorCode::InvalidModel, "direction is \"", direction, "\"; expected LEFT or RIGHT");
    Term const x = input(node, 0);
    if (direction == "RIGHT") return {apply(PointwiseOp::ShiftRight, x, input(node, 1))};
    return {narrowed(apply(PointwiseOp::ShiftLeft, x, input(node, 1)), widthOf(node, 0))};
}

} // namespace

ImporterList bitsImporters() {
    using enum PointwiseOp;
    static constexpr Importer all[] = {
        {"BitwiseAnd", importBitwise<BitAnd>}, {"BitwiseOr", importBitwise<BitOr>},
        {"BitwiseXor", importBitwise<BitXor>}, {"BitwiseNot", importBitwiseNot},
        {"BitShift", importBitShift},
    };
    return all;
}

} // namespace tenon::onnx
