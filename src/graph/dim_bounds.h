// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/dim_expr.h"

#include <functional>
#include <optional>
#include <string>

namespace tenon {

/// Numbers from `least` to `most`, inclusive.
struct Interval {
    int64_t least = 0;
    int64_t most = 0;

    friend bool operator==(Interval const&, Interval const&) = default;
};

/// The smallest interval that contains both.
Interval spanOf(Interval const& a, Interval const& b);

/// The known bounds of a symbol.
using SymbolBounds = std::function<std::optional<Interval>(std::string const& symbol)>;

/// The range of an expression, by interval arithmetic: the interval is exact where each symbol occurs once, and may be
/// wider where one occurs again, as in n * (64 - n). nullopt if a symbol has no bounds, or a bound does not fit in 64
/// bits.
std::optional<Interval> boundsOf(DimExpr const& dim, SymbolBounds const& ofSymbol);

} // namespace tenon
