// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/dims.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// An extent that may be unknown until run time: a constant, a named symbol, or an operation on such. Immutable;
/// constants cost nothing, so the same shape rules serve build time and run time. Expressions share their operands: a
/// few operations may represent a huge tree, so code that traverses one uses graph/dim_fold.h, which visits each once.
class DimExpr {
public:
    enum class Op { Constant, Symbol, Sum, Difference, Product, FloorDiv, CeilDiv, Max, Min, Equal, Less };

    DimExpr(int64_t constant = 0) : constant_(constant) {}
    /// An unknown, non-negative extent. Extents with the same name are equal.
    static DimExpr symbol(std::string name);
    static DimExpr apply(Op op, DimExpr const& a, DimExpr const& b);

    bool isConstant() const { return expr_ == nullptr; }
    int64_t constant() const; // throws an Error if it is not one
    int64_t constantOr(int64_t otherwise) const { return isConstant() ? constant_ : otherwise; }

    Op op() const;
    std::string const& name() const; // of a symbol
    DimExpr const& left() const;     // of an operation
    DimExpr const& right() const;

    /// A lower bound of its value; INT64_MIN when nothing is known.
    int64_t least() const;
    /// Has too many operations to be traversed or printed as a tree.
    bool isLarge() const;
    /// Differs between different operations.
    void const* id() const { return expr_.get(); }

    /// The same expression with every symbol that `valueOf` knows replaced.
    using Lookup = std::function<std::optional<DimExpr>(std::string const& symbol)>;
    DimExpr substitute(Lookup const& valueOf) const;

    friend DimExpr operator+(DimExpr const& a, DimExpr const& b) { return apply(Op::Sum, a, b); }
    friend DimExpr operator-(DimExpr const& a, DimExpr const& b) { return apply(Op::Difference, a, b); }
    friend DimExpr operator*(DimExpr const& a, DimExpr const& b) { return apply(Op::Product, a, b); }
    friend DimExpr floorDiv(DimExpr const& a, DimExpr const& b) { return apply(Op::FloorDiv, a, b); }
    friend DimExpr ceilDiv(DimExpr const& a, DimExpr const& b) { return apply(Op::CeilDiv, a, b); }
    friend DimExpr max(DimExpr const& a, DimExpr const& b) { return apply(Op::Max, a, b); }
    friend DimExpr min(DimExpr const& a, DimExpr const& b) { return apply(Op::Min, a, b); }
    /// Certainly the same extent (false may also mean "not known").
    friend bool operator==(DimExpr const& a, DimExpr const& b);

private:
    struct Expr;
    static bool equalOperations(DimExpr const& a, DimExpr const& b);
    int64_t constant_ = 0;
    std::shared_ptr<Expr const> expr_;
};

void append(std::string& to, DimExpr const& dim); // a large one is truncated

/// One extent per axis; also the values of an integer tensor that a shape rule reads.
using Shape = std::vector<DimExpr>;

void append(std::string& to, Shape const& shape); // [N,3,H,W]
Shape toShape(Dims const& dims);
bool isConstant(Shape const& shape);
Dims toDims(Shape const& shape); // throws an Error if an extent is not constant
DimExpr volume(Shape const& shape);
/// volume(a) / volume(b) of shapes if that leaves no remainder: common factors cancel. b has no extent 0.
DimExpr divideExactly(Shape const& a, Shape const& b);
/// numpy broadcasting; an Error names both shapes if they do not broadcast.
Shape broadcast(Shape const& a, Shape const& b);

} // namespace tenon
