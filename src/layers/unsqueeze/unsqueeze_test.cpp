// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

std::string errorWithAxes(std::vector<int64_t> const& axes) {
    return test::errorOf([&] {
        Graph graph;
        Tensor* x = graph.addInput("x", DataType::Float32, {2, 3});
        Tensor* list = graph.emit(Constant(Literal::of({static_cast<int64_t>(axes.size())}, axes)), {});
        graph.emit(Unsqueeze{}, {x, list}, "node");
    });
}

// numpy: np.expand_dims(x, axes)
TEST(Unsqueeze, insertsAxesAtTheirPlaceInTheResult) {
    Literal const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x, ints({1}, {0})}, .expected = {x.reshaped({1, 2, 3})}}.expect(Unsqueeze{});
    LayerCase{.inputs = {x, ints({3}, {2, 4, 0})}, .expected = {x.reshaped({1, 2, 1, 3, 1})}}.expect(Unsqueeze{});
    LayerCase{.inputs = {x, ints({2}, {-1, -3})}, .expected = {x.reshaped({2, 1, 3, 1})}}.expect(Unsqueeze{});
}

TEST(Unsqueeze, takesAScalarAndAScalarAxis) {
    LayerCase{.inputs = {floats({}, {4}), ints({}, {0})}, .expected = {floats({1}, {4})}}.expect(Unsqueeze{});
}

TEST(Unsqueeze, insertsAxesThatOnlyTheRunKnows) {
    Literal const x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x, ints({3}, {2, 4, 0})}, .expected = {x.reshaped({1, 2, 1, 3, 1})}}.expectFed(Unsqueeze{});
    LayerCase{.inputs = {x, ints({2}, {-1, -3})}, .expected = {x.reshaped({2, 1, 3, 1})}}.expectFed(Unsqueeze{});
    LayerCase{.inputs = {floats({0}, {}), ints({1}, {1})}, .expected = {floats({0, 1}, {})}}.expectFed(Unsqueeze{});
}

TEST(Unsqueeze, refusesAxesOfTheRunOutsideTheResult) {
    auto const error = [](std::vector<int64_t> const& axes) {
        return test::errorOf([&] {
            LayerCase{.inputs = {floats({2}, {1, 2}), Literal::of({static_cast<int64_t>(axes.size())}, axes)},
                      .expected = {}}
                .expectFed(Unsqueeze{});
        });
    };
    EXPECT_EQ(error({2}), "node (Unsqueeze): axis 2 of a tensor of rank 2; expected -2 to 1");
    EXPECT_EQ(error({0, -3}), "node (Unsqueeze): axis 0 is listed twice");
    EXPECT_EQ(error({0, 1, 2, 3, 4, 5, 6, 7}),
              "node (Unsqueeze): gives "
              "[node.extent0,node.extent1,node.extent2,node.extent3,node.extent4,node.extent5,node.extent6,node."
              "extent7,node.extent8], a tensor of 9 axes; expected at most 8");
    EXPECT_EQ(error({0, 1, 2, 3, 4, 5, 6, 7, 8}), "node (Unsqueeze): axes lists 9 axes; expected 8 at most");
    EXPECT_EQ(test::inferError(Unsqueeze{}, {{DataType::Float32, {2}}, {DataType::Int64, {DimExpr::symbol("K")}}}),
              "node (Unsqueeze): axes has shape [K]; the number of axes decides the rank; expected a length that is "
              "known when the engine is built");
}

TEST(Unsqueeze, refusesAxesOutsideTheResult) {
    EXPECT_EQ(errorWithAxes({3}), "node (Unsqueeze): axis 3 of a tensor of rank 3; expected -3 to 2");
    EXPECT_EQ(errorWithAxes({0, 1, 2, 3, 4, 5, 6}),
              "node (Unsqueeze): gives [1,1,1,1,1,1,1,2,3], a tensor of 9 axes; expected at most 8");
}

} // namespace
} // namespace tenon
