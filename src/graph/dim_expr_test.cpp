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
    EXPECT_THROW(floorDiv(DimExpr(INT64_MIN), -1), Error);
    EXPECT_THROW(ceilDiv(DimExpr(INT64_MIN), -1), Error);
}

TEST(DimExpr, dividesTheLeastNumber) {
    EXPECT_EQ(ceilDiv(DimExpr(INT64_MIN), 2).constant(), INT64_MIN / 2);
    EXPECT_EQ(ceilDiv(DimExpr(INT64_MIN), 3).constant(), INT64_MIN / 3);
    EXPECT_EQ(floorDiv(DimExpr(INT64_MIN), 3).constant(), INT64_MIN / 3 - 1);
    EXPECT_EQ(ceilDiv(DimExpr(-7), 2).constant(), -3);
    EXPECT_EQ(ceilDiv(DimExpr(-7), -2).constant(), 4);
    EXPECT_EQ(floorDiv(DimExpr(7), -2).constant(), -4);
}

TEST(DimExpr, keepsConstantsApartThatDoNotFitTogether) {
    EXPECT_EQ(text((kN + INT64_MAX) + 1), text("((N+", INT64_MAX, ")+1)"));
    EXPECT_EQ(text((kN + INT64_MIN) - 1), text("((N+", INT64_MIN, ")-1)"));
    EXPECT_EQ(text((kN * INT64_MAX) * 2), text("((N*", INT64_MAX, ")*2)"));
}

TEST(DimExpr, knowsTheLeastValue) {
    EXPECT_EQ((kN + 3).least(), 3);
    EXPECT_EQ((kN * kW).least(), 0);
    EXPECT_EQ((kN - 3).least(), INT64_MIN);
    EXPECT_EQ(max(kN - 3, 1).least(), 1);
    EXPECT_EQ(min(kN, 5).least(), 0);
    EXPECT_EQ((kN + INT64_MAX + (kW + INT64_MAX)).least(), INT64_MAX);
}

TEST(DimExpr, takesAwayWhatWasAdded) { // the positions of a text after its past: from p to p + n
    DimExpr const n = DimExpr::symbol("n");
    DimExpr const p = DimExpr::symbol("p");
    EXPECT_EQ(text(p + n - p), "n");
    EXPECT_EQ(text(n + p - p), "n");
    EXPECT_EQ(text(n + n - n), "n");
}

TEST(DimExpr, broadcastsToTheGreaterOfTwoUnknownExtents) {
    EXPECT_EQ(text(broadcast({kN}, {kW})), "[(N max W)]");
    EXPECT_EQ(text(broadcast(broadcast({kN}, {kW}), {kW})), "[(N max W)]");
    EXPECT_EQ(text(broadcast({kN}, {1})), "[N]");
    EXPECT_EQ(text(broadcast({kN}, {5})), "[5]");
    EXPECT_EQ(text(broadcast({5}, {kN})), "[5]");
    EXPECT_EQ(text(broadcast({kN}, {kN})), "[N]");
}

DimExpr::Lookup allAre(int64_t value) {
    return [value](std::string const&) { return DimExpr(value); };
}

/// N, 2 N, 4 N …: as a tree it has 2^times operations.
DimExpr doubled(int times) {
    DimExpr dim = kN;
    for (int i = 0; i < times; ++i) dim = dim + dim;
    return dim;
}

TEST(DimExpr, isWalkedOncePerOperationHoweverOftenEachIsUsed) {
    EXPECT_EQ(doubled(60).substitute(allAre(3)).constant(), 3LL << 60);
    EXPECT_EQ(doubled(90), doubled(90));
    EXPECT_FALSE(doubled(90) == doubled(91));
    EXPECT_FALSE(doubled(90) + kW == doubled(90) + kN);
    EXPECT_EQ(doubled(90) - doubled(90), DimExpr(0));
    EXPECT_EQ(text(divideExactly({doubled(90), kW}, {doubled(90)})), "W");
    EXPECT_EQ(text(volume({doubled(90) * doubled(90), 0})), "0");
    try {
        doubled(90).substitute(allAre(3));
        FAIL();
    } catch (Error const& error) {
        EXPECT_STREQ(error.what(), "a dimension does not fit in 64 bits");
    }
}

/// The same tree, with separate operations where the other one shares them.
DimExpr spelledOut(int times) { return times == 0 ? kN : spelledOut(times - 1) + spelledOut(times - 1); }

TEST(DimExpr, isTheSameWhetherItsOperationsAreSharedOrNot) {
    EXPECT_EQ(doubled(14), spelledOut(14));
    EXPECT_FALSE(doubled(14) == spelledOut(14) + 1);
}

TEST(DimExpr, isPrintedToTheLengthOfAMessage) {
    EXPECT_EQ(text(doubled(2)), "((N+N)+(N+N))");
    EXPECT_EQ(text(((doubled(90) - 1) * 2 + kW)), "((((…+…)-1)*2)+W)");
}

DimExpr chained(int length) {
    DimExpr dim = kN;
    for (int i = 0; i < length; ++i) dim = max(dim * 2, 3) - kW;
    return dim;
}

TEST(DimExpr, mayBeAsDeepAsAModelIsLong) {
    DimExpr const deep = chained(30'000);
    EXPECT_EQ(deep, chained(30'000));
    EXPECT_EQ(deep.substitute([](std::string const& symbol) { return DimExpr(symbol == "N" ? 1 : 3); }).constant(), 0);
}

TEST(DimExpr, isRefusedWhereItIsDeeperThanAnyModel) {
    try {
        chained(40'000);
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(std::string_view(error.what())
                        .starts_with("a dimension nests more than 100000 operations; expected those"));
    }
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
