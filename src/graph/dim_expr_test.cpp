// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/dim_expr.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

DimExpr const kN = DimExpr::symbol("N");
DimExpr const kW = DimExpr::symbol("W");

TEST(DimExpr, computesWithConstants) {
    EXPECT_EQ((DimExpr(7) + 2).constant(), 9);
    EXPECT_EQ((DimExpr(7) - 2).constant(), 5);
    EXPECT_EQ((DimExpr(7) * 2).constant(), 14);
    EXPECT_EQ(floorDiv(DimExpr(-7), 2).constant(), -4);
    EXPECT_EQ(ceilDiv(DimExpr(7), 2).constant(), 4);
    EXPECT_EQ(max(DimExpr(7), 2).constant(), 7);
    EXPECT_EQ(min(DimExpr(7), 2).constant(), 2);
}

TEST(DimExpr, refusesWhatDoesNotFitIn64Bits) {
    EXPECT_THROW(DimExpr(INT64_MAX) + 1, Error);
    EXPECT_THROW(DimExpr(INT64_MIN) - 1, Error);
    EXPECT_THROW(DimExpr(INT64_MAX) * 2, Error);
}

TEST(DimExpr, dividesExactlyByCancellingFactors) {
    EXPECT_EQ(text(divideExactly({kN, 480, kW}, {kN, 8})), "(W*60)");
    EXPECT_EQ(text(divideExactly({kN * kW, 6}, {kW, 6})), "N");
    EXPECT_EQ(text(divideExactly({kN, kN}, {kN})), "N");
    EXPECT_EQ(text(divideExactly({kN}, {3})), "(N/3)");
    EXPECT_EQ(text(divideExactly({0, kN}, {kW})), "0");
}

} // namespace
} // namespace tenon
