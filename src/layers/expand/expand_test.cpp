// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/expand/expand.h"

#include "base/text.h"
#include "layers/constant/constant.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

// numpy: np.broadcast_to
TEST(Expand, repeatsAxesOfExtentOne) {
    Literal const x = floats({3, 1}, {1, 2, 3});
    LayerCase{.inputs = {x, ints({2}, {3, 4})}, .expected = {floats({3, 4}, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3})}}
        .expect(Expand{});
    LayerCase{.inputs = {x, ints({3}, {2, 1, 2})},
              .expected = {floats({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3})}}
        .expect(Expand{});
}

TEST(Expand, repeatsRowsAndElements) { // y[n,i,j] = x[n,0,j] and x[n,i,0]
    std::vector<float> rows;
    std::vector<float> elements;
    auto const value = [](int64_t i) { return static_cast<float>(i * 37 % 101); };
    for (int64_t k = 0; k < 2 * 300 * 8; ++k) {
        rows.push_back(value(k / 2400 * 8 + k % 8));
        elements.push_back(value(k / 8));
    }
    auto const first = [&](int64_t count) {
        std::vector<float> x;
        for (int64_t i = 0; i < count; ++i) x.push_back(value(i));
        return x;
    };
    Literal const shape = ints({3}, {2, 300, 8});
    LayerCase{.inputs = {floats({2, 1, 8}, first(16)), shape}, .expected = {floats({2, 300, 8}, rows)}}.expect(
        Expand{});
    LayerCase{.inputs = {floats({2, 300, 1}, first(600)), shape}, .expected = {floats({2, 300, 8}, elements)}}.expect(
        Expand{});
}

TEST(Expand, keepsWhatAShorterShapeDoesNotName) {
    LayerCase{.inputs = {ints({2, 2, 1}, {1, 2, 3, 4}), ints({1}, {2})},
              .expected = {ints({2, 2, 2}, {1, 1, 2, 2, 3, 3, 4, 4})}}
        .expect(Expand{});
}

TEST(Expand, makesAScalarATensorOfAnyShape) {
    LayerCase{.inputs = {ints({}, {7}), ints({1}, {3})}, .expected = {ints({3}, {7, 7, 7})}}.expect(Expand{});
    LayerCase{.inputs = {ints({}, {7}), ints({2}, {3, 0})}, .expected = {ints({3, 0}, {})}}.expect(Expand{});
}

TEST(Expand, takesUnknownExtents) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, DimExpr::symbol("W")});
    Tensor* other = graph.emit(ShapeOf{}, {graph.addInput("other", DataType::Float32, {DimExpr::symbol("N"), 1})});
    EXPECT_EQ(text(graph.emit(Expand{}, {x, other})->shape), "[N,W]");
}

TEST(Expand, refusesShapesThatDoNotBroadcast) {
    auto const error = [](std::vector<int64_t> const& shape) {
        return test::errorOf([&] {
            Graph graph;
            Tensor* list = graph.emit(Constant(ints({static_cast<int64_t>(shape.size())}, shape)), {});
            graph.emit(Expand{}, {graph.addInput("x", DataType::Float32, {2, 3}), list}, "node");
        });
    };
    EXPECT_EQ(error({2, 4}), "node (Expand): shapes [2,3] and [2,4] do not broadcast: 3 against 4");
    EXPECT_EQ(error({-1, 3}), "node (Expand): shape [-1,3] has a negative extent");
}

TEST(Expand, refusesWhatNoMemoryHolds) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1});
    Tensor* list = graph.emit(Constant(ints({2}, {int64_t{1} << 40, int64_t{1} << 40})), {});
    EXPECT_EQ(test::errorOf([&] {
                  graph.emit(Expand{}, {x, list}, "node");
              }),
              "node (Expand): a tensor of float32 and shape [1099511627776,1099511627776] takes more than 128 TiB, "
              "more than any memory");
    EXPECT_EQ(test::errorOf([&] {
                  graph.addInput("z", DataType::Int8, {0, int64_t{1} << 48});
              }),
              "input z: a tensor of int8 and shape [0,281474976710656] takes more than 128 TiB, more than any memory");
}

} // namespace
} // namespace tenon
