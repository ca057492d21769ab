// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shape/shape.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

ShapeOf part(int64_t start, int64_t end) {
    ShapeOf layer;
    layer.start = start;
    layer.end = end;
    return layer;
}

TEST(Shape, listsTheExtents) {
    LayerCase{.inputs = {floats({2, 0, 5}, {})}, .expected = {ints({3}, {2, 0, 5})}}.expect(ShapeOf{});
}

TEST(Shape, ofAScalarIsEmpty) { LayerCase{.inputs = {floats({}, {7})}, .expected = {ints({0}, {})}}.expect(ShapeOf{}); }

// ONNX: start and end count from the end when negative and are clamped to the rank
TEST(Shape, listsAPartOfTheExtents) {
    Literal const x = floats({1, 2, 3}, {1, 2, 3, 4, 5, 6});
    LayerCase{.inputs = {x}, .expected = {ints({2}, {2, 3})}}.expect(part(1, INT64_MAX));
    LayerCase{.inputs = {x}, .expected = {ints({1}, {2})}}.expect(part(-2, -1));
    LayerCase{.inputs = {x}, .expected = {ints({3}, {1, 2, 3})}}.expect(part(-9, 9));
    LayerCase{.inputs = {x}, .expected = {ints({0}, {})}}.expect(part(2, 1));
}

TEST(Shape, countsTheElements) {
    ShapeOf layer;
    layer.volume = true;
    LayerCase{.inputs = {floats({1, 2, 3}, {1, 2, 3, 4, 5, 6})}, .expected = {ints({}, {6})}}.expect(layer);
}

TEST(Shape, listsThemIn32Bits) {
    ShapeOf layer;
    layer.type = DataType::Int32;
    LayerCase{.inputs = {floats({2, 0, 5}, {})}, .expected = {Literal::of<int32_t>({3}, {2, 0, 5})}}.expect(layer);
}

TEST(Shape, keepsUnknownExtentsAsSymbols) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Bool, {DimExpr::symbol("N"), 3});
    Tensor* y = graph.emit(ShapeOf{}, {x});
    ASSERT_TRUE(y->values);
    EXPECT_EQ(text(*y->values), "[N,3]");
    EXPECT_EQ(y->type, DataType::Int64);
}

} // namespace
} // namespace tenon
