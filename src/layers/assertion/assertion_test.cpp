// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/assertion/assertion.h"

#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;

Assertion saying(std::string message) {
    Assertion layer;
    layer.message = std::move(message);
    return layer;
}

/// x [N,S] → x + x, with the assertion that N is S.
Graph squares() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), DimExpr::symbol("S")});
    ShapeOf rows;
    rows.end = 1;
    ShapeOf columns;
    columns.start = 1;
    Tensor* equal = graph.emit(elementwise(PointwiseOp::Equal), {graph.emit(rows, {x}), graph.emit(columns, {x})});
    graph.add(std::make_unique<Assertion>(saying("x must be a square")), {equal}, "check");
    graph.markOutput(graph.emit(elementwise(PointwiseOp::Sum), {x, x}));
    return graph;
}

BuildConfig upTo(Dims const& most) {
    BuildConfig config;
    config.profiles.emplace_back()["x"] = {{1, 1}, most, most, {}, {}, {}};
    return config;
}

TEST(Assertion, isCheckedForTheShapesOfEachRun) {
    test::EngineRun engine(squares(), upTo({3, 3}));
    EXPECT_EQ(engine.run({floats({2, 2}, {1, 2, 3, 4})}).at(0).toFloat(), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_EQ(test::errorOf([&] {
                  engine.run({floats({2, 3}, {1, 2, 3, 4, 5, 6})});
              }),
              "check (Assertion): does not hold: x must be a square");
    EXPECT_EQ(engine.run({floats({1, 1}, {5})}).at(0).toFloat(), (std::vector<float>{10})); // still usable
}

TEST(Assertion, isCheckedForTheShapesOfAProfile) {
    EXPECT_EQ(test::errorOf([] {
                  test::EngineRun engine(squares(), upTo({2, 3}));
              }),
              "check (Assertion): does not hold: x must be a square");
}

TEST(Assertion, isCheckedWhenItsConditionIsKnown) {
    bool const flags[]{true, false};
    Graph graph;
    Tensor* condition = graph.emit(Constant(Literal::copyOf(DataType::Bool, {2}, flags)), {});
    EXPECT_EQ(test::errorOf([&] { graph.add(std::make_unique<Assertion>(saying("no")), {condition}, "check"); }),
              "check (Assertion): does not hold: no");
    Tensor* one = graph.emit(Constant(ints({1}, {1})), {});
    Tensor* holds = graph.emit(elementwise(PointwiseOp::Equal), {one, one});
    EXPECT_TRUE(graph.add(std::make_unique<Assertion>(saying("no")), {holds}, "check")->outputs().empty());
}

TEST(Assertion, endsWithWhatIsFound) {
    bool const no = false;
    Graph graph;
    Tensor* condition = graph.emit(Constant(Literal::copyOf(DataType::Bool, {}, &no)), {});
    auto const error = [&](Literal const& found) {
        Tensor* const numbers = graph.emit(Constant(found), {});
        return test::errorOf([&] {
            graph.add(std::make_unique<Assertion>(saying("two rows")), {condition, numbers}, "check");
        });
    };
    EXPECT_EQ(error(Literal::scalar<int64_t>(3)), "check (Assertion): does not hold: two rows; found 3");
    EXPECT_EQ(error(ints({2}, {1, 3})), "check (Assertion): does not hold: two rows; found [1,3]");
    EXPECT_EQ(error(floats({1}, {1})), "check (Assertion): the found value is float32; expected int32 or int64");
}

TEST(Assertion, refusesWhatIsNoCondition) {
    EXPECT_EQ(test::inferError(saying("no"), {{DataType::Int32, {1}}}),
              "node (Assertion): the condition is int32; expected bool (add a comparison or a cast)");
}

} // namespace
} // namespace tenon
