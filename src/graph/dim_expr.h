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

/// An extent that may be unknown until run time: a constant, a named symbol, or an operation on such.
/// Immutable; constants cost nothing, so the same shape rules serve build time and run time. Expressions share their
/// operands: a few operations may stand for a huge tree, so code that walks through one uses graph/dim_fold.h, which
/// visits each once.
class DimExpr {
public:
    enum class Op { Constant, Symbol, Sum, Difference, Product, FloorDiv, CeilDiv, Max, Min, Equal, Less };

    DimExpr(int64_t constant = 0) : constant_(constant) {}
    /// An unknown, non-negative extent. Equal names mean equal extents.
    static DimExpr symbol(std::string name);
    static DimExpr apply(Op op, DimExpr const& a, DimExpr const& b);

    bool isConstant() const { return expr_ == nullptr; }
    int64_t constant() const; // an Error when it is not one
    int64_t constantOr(int64_t otherwise) const { return isConstant() ? constant_ : otherwise; }

    Op op() const;
    std::string const& name() const; // of a symbol
    DimExpr const& left() const;     // of an operation
    DimExpr const& right() const;

    /// A lower bound of its value; INT64_MIN when nothing is known.
    int64_t least() const;
    /// Has too many operations to be walked through or printed as a tree.
    bool isLarge() const;
    /// Different for different operations.
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
    /// Surely the same extent (false may also mean "not known").
    friend bool operator==(DimExpr const& a, DimExpr const& b);

private:
    struct Expr;
    static bool equalOperations(DimExpr const& a, DimExpr const& b);
    int64_t constant_ = 0;
    std::shared_ptr<Expr const> expr_;
};

void append(std::string& to, DimExpr const& dim); // of a large one the beginning

/// One extent an axis; also the values of an integer tensor that a shape rule reads.
using Shape = std::vector<DimExpr>;

void append(std::string& to, Shape const& shape); // [N,3,H,W]
Shape toShape(Dims const& dims);
bool isConstant(Shape const& shape);
Dims toDims(Shape const& shape); // an Error when an extent is not constant
DimExpr volume(Shape const& shape);
/// volume(a) / volume(b) of shapes where that leaves no remainder: factors that both have cancel. b has no extent 0.
DimExpr divideExactly(Shape const& a, Shape const& b);
/// numpy broadcasting; an Error naming both shapes when they do not go together.
Shape broadcast(Shape const& a, Shape const& b);

} // namespace tenon
