// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/dim_bounds.h"

#include "base/error.h"
#include "graph/dim_fold.h"

#include <algorithm>

namespace tenon {
namespace {

using Op = DimExpr::Op;
using Bounds = std::optional<Interval>;

/// For operations that are monotonic in each operand: the extremes are at the ends of both intervals.
Bounds atEnds(Op op, Interval const& a, Interval const& b) {
    Bounds all;
    for (int64_t const x : {a.least, a.most}) {
        for (int64_t const y : {b.least, b.most}) {
            int64_t const value = DimExpr::apply(op, x, y).constant();
            all = all ? spanOf(*all, {value, value}) : Interval{value, value};
        }
    }
    return all;
}

/// A quotient is monotonic while the divisor has one sign; a divisor of 0 is an Error wherever it occurs.
Bounds divided(Op op, Interval const& a, Interval const& b) {
    Bounds all;
    if (b.most > 0) all = atEnds(op, a, {std::max<int64_t>(b.least, 1), b.most});
    if (b.least < 0) {
        auto const below = atEnds(op, a, {b.least, std::min<int64_t>(b.most, -1)});
        all = all ? spanOf(*all, *below) : below;
    }
    return all;
}

Bounds compared(Op op, Interval const& a, Interval const& b) {
    bool const isOne = a.least == a.most && a == b;
    bool const isApart = a.most < b.least || b.most < a.least;
    if (op == Op::Equal) return Interval{isOne ? 1 : 0, isApart ? 0 : 1};
    return Interval{a.most < b.least ? 1 : 0, a.least < b.most ? 1 : 0};
}

/// x - floorDiv(x, c) * c, as shape rules write a remainder: from 0 to c - 1 for all x.
Bounds remainder(DimExpr const& dim) {
    if (dim.op() != Op::Difference || dim.right().op() != Op::Product) return std::nullopt;
    DimExpr const& quotient = dim.right().left();
    DimExpr const& divisor = dim.right().right();
    bool const isRest = quotient.op() == Op::FloorDiv && divisor.isConstant() && divisor.constant() > 0 &&
                        quotient.right() == divisor && quotient.left() == dim.left();
    return isRest ? Bounds(Interval{0, divisor.constant() - 1}) : std::nullopt;
}

Bounds combined(DimExpr const& dim, Bounds const& a, Bounds const& b) {
    if (!a || !b) return std::nullopt;
    if (auto const rest = remainder(dim)) return rest;
    switch (dim.op()) {
    case Op::FloorDiv:
    case Op::CeilDiv: return divided(dim.op(), *a, *b);
    case Op::Equal:
    case Op::Less: return compared(dim.op(), *a, *b);
    default: return atEnds(dim.op(), *a, *b);
    }
}

} // namespace

Interval spanOf(Interval const& a, Interval const& b) { return {std::min(a.least, b.least), std::max(a.most, b.most)}; }

std::optional<Interval> boundsOf(DimExpr const& dim, SymbolBounds const& ofSymbol) {
    try {
        return fold<Bounds>(
            dim,
            [&](DimExpr const& leaf) {
                return leaf.isConstant() ? Interval{leaf.constant(), leaf.constant()} : ofSymbol(leaf.name());
            },
            combined);
    } catch (Error const&) { // an end does not fit
        return std::nullopt;
    }
}

} // namespace tenon
