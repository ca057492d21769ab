// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

std::string errorWithAxes(Shape const& shape, std::vector<int64_t> const& axes) {
    return test::errorOf([&] {
        Graph graph;
        Tensor* x = graph.addInput("x", DataType::Float32, shape);
        Tensor* list = graph.emit(Constant(Literal::of({static_cast<int64_t>(axes.size())}, axes)), {});
        graph.emit(Squeeze{}, {x, list}, "node");
    });
}

TEST(Squeeze, dropsTheAxesThatAreListed) {
    LayerCase{.inputs = {floats({1, 2, 1, 1}, {5, 6}), ints({2}, {-1, 0})}, .expected = {floats({2, 1}, {5, 6})}}
        .expect(Squeeze{});
}

TEST(Squeeze, dropsAxesThatOnlyTheRunKnows) {
    LayerCase{.inputs = {floats({1, 2, 1, 1}, {5, 6}), ints({2}, {-1, 0})}, .expected = {floats({2, 1}, {5, 6})}}
        .expectFed(Squeeze{});
    LayerCase{.inputs = {floats({1, 0}, {}), ints({1}, {0})}, .expected = {floats({0}, {})}}.expectFed(Squeeze{});
    LayerCase{.inputs = {floats({1, 1}, {5}), ints({}, {0})}, .expected = {floats({1}, {5})}}.expectFed(Squeeze{});
}

TEST(Squeeze, refusesAxesOfTheRunThatCannotBeDropped) {
    auto const error = [](std::vector<int64_t> const& axes) {
        return test::errorOf([&] {
            LayerCase{.inputs = {floats({1, 3}, {1, 2, 3}), Literal::of({static_cast<int64_t>(axes.size())}, axes)},
                      .expected = {}}
                .expectFed(Squeeze{});
        });
    };
    EXPECT_EQ(error({1}), "node (Squeeze): axis 1 of [1,3] has extent 3; only axes of extent 1 can be dropped");
    EXPECT_EQ(error({0, -2}), "node (Squeeze): axis 0 is listed twice");
    EXPECT_EQ(error({2}), "node (Squeeze): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error({0, 1, 2}), "node (Squeeze): axes lists 3 axes; expected 2 at most");
}

TEST(Squeeze, dropsAllAxesOfExtentOneWithoutAList) {
    Graph graph;
    EXPECT_EQ(text(graph.emit(Squeeze{}, {graph.addInput("x", DataType::Int8, {1, 2, 1, 3})})->shape), "[2,3]");
}

TEST(Squeeze, keepsTheElementsOfShapes) {
    Graph graph;
    Tensor* one = graph.emit(Constant(ints({1}, {7})), {});
    Tensor* scalar = graph.emit(Squeeze{}, {one, graph.emit(Constant(ints({1}, {0})), {})});
    EXPECT_EQ(text(scalar->shape), "[]");
    EXPECT_EQ(text(*scalar->values), "[7]");
}

TEST(Squeeze, refusesAxesThatCannotBeDropped) {
    EXPECT_EQ(errorWithAxes({1, 3}, {1}),
              "node (Squeeze): axis 1 of [1,3] has extent 3; only axes of extent 1 can be dropped");
    EXPECT_EQ(errorWithAxes({1, 3}, {0, -2}), "node (Squeeze): axis 0 is listed twice");
    EXPECT_EQ(errorWithAxes({1, 3}, {2}), "node (Squeeze): axis 2 of a tensor of rank 2; expected -2 to 1");
}

TEST(Squeeze, refusesWhatOnlyRunTimeCanTell) {
    EXPECT_EQ(test::inferError(Squeeze{}, {{DataType::Float32, {DimExpr::symbol("N"), 3}}}),
              "node (Squeeze): which axes of [N,3] have extent 1 is not known before run time; give the axes to drop");
    EXPECT_EQ(test::inferError(Squeeze{}, {{DataType::Float32, {1, 3}}, {DataType::Int64, {DimExpr::symbol("K")}}}),
              "node (Squeeze): axes has shape [K]; the number of axes decides the rank; expected a length that is "
              "known when the engine is built");
}

} // namespace
} // namespace tenon
