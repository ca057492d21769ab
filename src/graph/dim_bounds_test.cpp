// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/dim_bounds.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

DimExpr const n = DimExpr::symbol("n");
DimExpr const m = DimExpr::symbol("m");

/// With n from 1 to 63 and m from -3 to 2.
std::optional<Interval> of(DimExpr const& dim) {
    return boundsOf(dim, [](std::string const& symbol) -> std::optional<Interval> {
        if (symbol == "n") return Interval{1, 63};
        if (symbol == "m") return Interval{-3, 2};
        return std::nullopt;
    });
}

TEST(DimBounds, findTheEndsOfEachOperation) {
    EXPECT_EQ(of(7), (Interval{7, 7}));
    EXPECT_EQ(of(n + m), (Interval{-2, 65}));
    EXPECT_EQ(of(64 - n), (Interval{1, 63}));
    EXPECT_EQ(of(n - m), (Interval{-1, 66}));
    EXPECT_EQ(of(n * m), (Interval{-189, 126}));
    EXPECT_EQ(of(floorDiv(n, 4)), (Interval{0, 15}));
    EXPECT_EQ(of(ceilDiv(n, 4)), (Interval{1, 16}));
    EXPECT_EQ(of(floorDiv(m, 2)), (Interval{-2, 1}));
    EXPECT_EQ(of(floorDiv(100, n)), (Interval{1, 100}));
    EXPECT_EQ(of(max(n, 10)), (Interval{10, 63}));
    EXPECT_EQ(of(min(n, 10)), (Interval{1, 10}));
}

TEST(DimBounds, leaveOutADivisorOfZero) {
    EXPECT_EQ(of(floorDiv(12, m)), (Interval{-12, 12})); // divided by -3 … -1, 1, 2
    EXPECT_EQ(of(floorDiv(n, max(m, 0))), (Interval{0, 63}));
    EXPECT_EQ(of(floorDiv(n, min(m, 0))), (Interval{-63, -1}));
}

TEST(DimBounds, knowWhatComparisonsGive) {
    auto const compare = [](DimExpr::Op op, DimExpr const& a, DimExpr const& b) {
        return of(DimExpr::apply(op, a, b));
    };
    EXPECT_EQ(compare(DimExpr::Op::Less, n, 64), (Interval{1, 1}));
    EXPECT_EQ(compare(DimExpr::Op::Less, n, 1), (Interval{0, 0}));
    EXPECT_EQ(compare(DimExpr::Op::Less, n, 2), (Interval{0, 1}));
    EXPECT_EQ(compare(DimExpr::Op::Equal, n, 64), (Interval{0, 0}));
    EXPECT_EQ(compare(DimExpr::Op::Equal, n, 2), (Interval{0, 1}));
    EXPECT_EQ(compare(DimExpr::Op::Equal, n, max(min(m, -3), -3)), (Interval{0, 0}));
}

TEST(DimBounds, holdAllValuesOfWhatIsNotMonotonic) {
    auto const bounds = of(n * (64 - n));
    ASSERT_TRUE(bounds.has_value());
    for (int64_t x = 1; x <= 63; ++x) {
        EXPECT_LE(bounds->least, x * (64 - x));
        EXPECT_GE(bounds->most, x * (64 - x));
    }
    EXPECT_EQ(of(n - floorDiv(n, 7) * 7), (Interval{0, 6}));
}

TEST(DimBounds, areNotKnownWhereASymbolHasNone) {
    EXPECT_EQ(of(n + DimExpr::symbol("k")), std::nullopt);
    EXPECT_EQ(of((n * INT64_MAX) + n), std::nullopt);
}

TEST(DimBounds, visitSharedOperationsOnce) {
    DimExpr dim = n;
    for (int i = 0; i < 10'000; ++i) dim = max(dim, dim - 1) + 0;
    for (int i = 0; i < 50; ++i) dim = dim + dim;
    EXPECT_EQ(of(dim), (Interval{int64_t{1} << 50, int64_t{63} << 50}));
}

} // namespace
} // namespace tenon
