// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/layer.h"

#include "base/error.h"

namespace tenon {

std::string Layer::inputName(int input) const { return text("input ", input); }

std::string Operands::nameOf(int i) const { return layer_ ? layer_->inputName(i) : text("input ", i); }

Operands const& Operands::expectCount(int least, int most) const {
    if (count() >= least && count() <= most) {
        for (int i = 0; i < least; ++i) {
            if (!has(i)) fail(ErrorCode::InvalidArgument, nameOf(i), " is missing");
        }
        return *this;
    }
    std::string const expected = least == most ? text(least) : text(least, " to ", most);
    fail(ErrorCode::InvalidArgument, "has ", count(), " inputs; expected ", expected);
}

Operands const& Operands::expectRank(int input, int least, int most) const {
    if (rank(input) >= least && rank(input) <= most) return *this;
    std::string const expected = least == most ? text(least) : text(least, " to ", most);
    fail(ErrorCode::InvalidArgument, nameOf(input), " has shape ", (*this)[input].shape, ", of rank ", rank(input),
         "; expected rank ", expected);
}

Operands const& Operands::expectOneElement(int input) const {
    Shape const& shape = (*this)[input].shape;
    if (shape.empty() || shape == Shape{1}) return *this;
    fail(ErrorCode::InvalidArgument, nameOf(input), " has shape ", shape, "; expected one element");
}

Operands const& Operands::expectSameType(int a, int b) const {
    if ((*this)[a].type == (*this)[b].type) return *this;
    fail(ErrorCode::InvalidArgument, nameOf(a), " is ", (*this)[a].type, " and ", nameOf(b), " is ", (*this)[b].type,
         "; expected one type (add a cast)");
}

Operands const& Operands::expectFloat(int input) const {
    if (isFloat((*this)[input].type)) return *this;
    fail(ErrorCode::InvalidArgument, nameOf(input), " is ", (*this)[input].type,
         "; expected float32, float16 or bfloat16");
}

Operands const& Operands::expectInteger(int input) const {
    DataType const type = (*this)[input].type;
    if (type == DataType::Int32 || type == DataType::Int64) return *this;
    fail(ErrorCode::InvalidArgument, nameOf(input), " is ", type, "; expected int32 or int64");
}

Operands const& Operands::expectNumbers(int input) const {
    DataType const type = (*this)[input].type;
    if (isFloat(type) || isInteger(type)) return *this;
    fail(ErrorCode::InvalidArgument, nameOf(input), " is ", type,
         "; expected float32, float16, bfloat16, int8, uint8, int32 or int64");
}

DimExpr Operands::unknown(std::string_view what) const { return DimExpr::symbol(text(node_, '.', what)); }

Shape Operands::valuesOf(int input, std::string_view what) const {
    Operand const& operand = (*this)[input];
    if (operand.values) return *operand.values;
    if (operand.literal) {
        Shape values;
        for (int64_t const value : operand.literal->toInt64()) values.emplace_back(value);
        return values;
    }
    DimExpr const count = volume(operand.shape);
    if (!count.isConstant() || count.constant() > Dims::kMaxRank)
        fail(ErrorCode::Unsupported, what, " has shape ", operand.shape, "; expected a known length of at most ",
             Dims::kMaxRank);
    Shape values;
    for (int64_t i = 0; i < count.constant(); ++i) values.push_back(unknown(text(what, i)));
    return values;
}

std::unique_ptr<Layer> makeLayer(std::string_view kind) {
    for (LayerEntry const& entry : allLayers()) {
        if (entry.kind == kind) return entry.make();
    }
    fail(ErrorCode::InvalidPlan, "unknown layer kind ", kind, "; the file may come from a newer Tenon");
}

} // namespace tenon
