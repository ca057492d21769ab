// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/extent_check/extent_check.h"

#include "base/error.h"
#include "graph/graph.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

DimExpr const kN = DimExpr::symbol("n");
DimExpr const kM = DimExpr::symbol("m");

/// x [n,3] + y [m], where n is axis 0 of input 0 and m axis 0 of input 1, and of input 2 too.
ExtentCheck sum() {
    ExtentCheck check;
    check.extents = {{"n", 0, 0}, {"m", 1, 0}, {"m", 2, 0}};
    auto const seen = [](Shape shape) { return ExtentCheck::Seen{.present = true, .shape = std::move(shape)}; };
    check.rules = {{"add", "Elementwise", {seen({kN, 3}), seen({kM})}, elementwise(PointwiseOp::Sum).clone()}};
    return check;
}

/// Empty if the check holds for inputs [n,7], [m] and [again,again].
std::string errorAt(ExtentCheck const& check, DimExpr const& n, DimExpr const& m, DimExpr const& again) {
    Graph graph;
    std::vector<Tensor*> const inputs{graph.addInput("x", DataType::Int32, {n, 7}),
                                      graph.addInput("y", DataType::Float32, {m}),
                                      graph.addInput("z", DataType::Float32, {again, again})};
    try {
        graph.add(check.clone(), inputs, "node");
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

TEST(ExtentCheck, runsTheRulesOfNodesThatAreGone) {
    EXPECT_EQ(errorAt(sum(), 5, 3, 3), "");
    EXPECT_EQ(errorAt(sum(), 5, 1, 1), "");
    EXPECT_EQ(errorAt(sum(), 5, 2, 2),
              "node (ExtentCheck): add (Elementwise): shapes [5,3] and [2] do not broadcast: 3 against 2");
}

TEST(ExtentCheck, leavesOutWhatIsNotKnown) {
    EXPECT_EQ(errorAt(sum(), kN, kM, kM), "");
    EXPECT_EQ(errorAt(sum(), 5, 2, 3), ""); // inputs disagree, as ends of a profile may
}

TEST(ExtentCheck, refusesNegativeExtents) {
    ExtentCheck check = sum();
    check.rules[0].inputs = {{.present = true, .shape = {kN - 4}}, {.present = true, .shape = {1}}};
    EXPECT_EQ(errorAt(check, 4, 3, 3), "");
    EXPECT_NE(errorAt(check, 3, 3, 3).find("node (ExtentCheck): add (Elementwise): "), std::string::npos);
}

TEST(ExtentCheck, knowsElementsThatDecideShapes) {
    ExtentCheck check = sum();
    ExtentCheck::Seen shape{.present = true, .type = DataType::Int64, .shape = {2}, .values = {{kM, 3}}};
    check.rules = {{"expand", "Expand", {{.present = true, .shape = {kN, 3}}, shape}, Expand{}.clone()}};
    EXPECT_EQ(errorAt(check, 2, 2, 2), "");
    EXPECT_EQ(errorAt(check, 2, 4, 4),
              "node (ExtentCheck): expand (Expand): shapes [2,3] and [4,3] do not broadcast: 2 against 4");
}

TEST(ExtentCheck, refusesWhatNoBuildWrites) {
    ExtentCheck check = sum();
    check.extents[1].axis = 1;
    EXPECT_EQ(errorAt(check, 5, 3, 3), "node (ExtentCheck): m is axis 1 of input 1, which does not exist");
    check = sum();
    check.rules[0].inputs[0].literal = Literal::of<float>({2}, {1, 2});
    EXPECT_EQ(errorAt(check, 5, 3, 3), "node (ExtentCheck): add (Elementwise): its elements do not match shape [n,3]");
    check = sum();
    check.rules[0].inputs[1].values = {{1, 2, 3}};
    EXPECT_EQ(errorAt(check, 5, 3, 3), "node (ExtentCheck): add (Elementwise): its elements do not match shape [m]");
}

} // namespace
} // namespace tenon
