// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shuffle/shuffle.h"

#include "base/text.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/shape/shape.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Literal counted(Dims const& dims) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < dims.volume(); ++i) values.push_back(i);
    return ints(dims, values);
}

/// np.transpose(counted(dims), permutation), by the formula Y[i] = X[i permuted back]
Literal transposed(Dims const& dims, std::vector<int64_t> const& permutation) {
    Dims to;
    for (int64_t const axis : permutation) to.push(dims[static_cast<int>(axis)]);
    Dims const strides = rowMajorStrides(dims);
    Dims index = Dims::filled(to.rank(), 0);
    std::vector<int64_t> values;
    do {
        int64_t at = 0;
        for (int i = 0; i < to.rank(); ++i)
            at += index[i] * strides[static_cast<int>(permutation[static_cast<size_t>(i)])];
        values.push_back(at);
    } while (nextIndex(index, to));
    return ints(to, values);
}

template <class To> Literal converted(Literal const& literal) {
    std::vector<To> values;
    for (int64_t const value : literal.toInt64()) values.push_back(static_cast<To>(value));
    return Literal::of(literal.dims(), values);
}

/// Adjacent values differ much, and there are few enough for every type.
Literal scrambled(Literal const& literal) {
    std::vector<float> values;
    for (int64_t const value : literal.toInt64()) values.push_back(static_cast<float>(value * 37 % 101));
    return floats(literal.dims(), values);
}

TEST(Shuffle, transposes) { // numpy: np.arange(6).reshape(1, 2, 3).transpose(2, 0, 1)
    LayerCase{.inputs = {floats({1, 2, 3}, {0, 1, 2, 3, 4, 5})}, .expected = {floats({3, 1, 2}, {0, 3, 1, 4, 2, 5})}}
        .expect(Shuffle::transposing({2, 0, 1}));
}

TEST(Shuffle, transposesElementsOfEverySize) {
    struct Case {
        Dims dims;
        std::vector<int64_t> permutation;
    };
    for (Case const& one :
         {Case{{2, 37, 50}, {0, 2, 1}}, Case{{2, 9, 3, 2, 15}, {2, 0, 3, 1, 4}}, Case{{2, 8, 6, 15}, {0, 1, 3, 2}},
          Case{{2, 3, 5, 7}, {0, 3, 1, 2}}, Case{{3, 17, 33}, {2, 1, 0}},
          Case{{2, 3, 2, 3, 2, 3, 2, 2}, {7, 0, 6, 1, 5, 2, 4, 3}}, Case{{2, 128, 136}, {0, 2, 1}},
          Case{{1, 66, 130}, {2, 1, 0}}, Case{{2, 40, 3, 8}, {0, 2, 1, 3}}, Case{{33, 2, 36, 2}, {2, 0, 1, 3}}}) {
        Literal const x = counted(one.dims);
        Literal const y = transposed(one.dims, one.permutation);
        Shuffle const layer = Shuffle::transposing(one.permutation);
        LayerCase{.inputs = {x}, .expected = {y}}.expect(layer);
        LayerCase{.inputs = {converted<int32_t>(x)}, .expected = {converted<int32_t>(y)}}.expect(layer);
        LayerCase{.inputs = {converted<int8_t>(x)}, .expected = {converted<int8_t>(y)}}.expect(layer);
        LayerCase{.inputs = {scrambled(x)}, .expected = {scrambled(y)}}.expect(layer);
    }
}

TEST(Shuffle, movesChannelsLastAndBack) { // if they are last already, nothing moves
    for (std::vector<int64_t> const& permutation : {std::vector<int64_t>{0, 2, 3, 1}, std::vector<int64_t>{0, 3, 1, 2}})
        LayerCase{.inputs = {scrambled(counted({2, 19, 5, 7}))},
                  .expected = {scrambled(transposed({2, 19, 5, 7}, permutation))}}
            .expect(Shuffle::transposing(permutation));
}

TEST(Shuffle, reshapesWithPlaceholders) {
    Literal const x = counted({2, 3, 4});
    LayerCase{.inputs = {x}, .expected = {x.reshaped({4, 6})}}.expect(Shuffle::reshaping({4, 6}));
    LayerCase{.inputs = {x}, .expected = {x.reshaped({2, 12})}}.expect(Shuffle::reshaping({0, -1}));
    LayerCase{.inputs = {x}, .expected = {x.reshaped({2, 1, 3, 4})}}.expect(Shuffle::reshaping({2, -1, 3, 4}));
    LayerCase{.inputs = {x, ints({3}, {-1, 0, 2})}, .expected = {x.reshaped({4, 3, 2})}}.expect(Shuffle{});
}

TEST(Shuffle, regroupsThePixelsOfImages) {
    Literal const x = test::spread({2, 19, 2, 3}, -1, 1);
    LayerCase{.inputs = {x}, .expected = {x.reshaped({2, 19, 6})}}.expect(Shuffle::reshaping({0, 0, -1}));
}

TEST(Shuffle, readsAZeroAsZeroWhenAsked) {
    Shuffle layer;
    layer.zeroIsPlaceholder = false;
    LayerCase{.inputs = {floats({0, 3, 4}, {}), ints({3}, {3, 4, 0})}, .expected = {floats({3, 4, 0}, {})}}.expect(
        layer);
}

TEST(Shuffle, reshapesToAScalarAndBack) {
    LayerCase{.inputs = {floats({1, 1}, {3})}, .expected = {floats({}, {3})}}.expect(Shuffle::reshaping({}));
    LayerCase{.inputs = {floats({}, {3})}, .expected = {floats({1}, {3})}}.expect(Shuffle::reshaping({-1}));
}

// numpy: np.arange(12).reshape(2, 6).T.reshape(3, 4).transpose(1, 0)
TEST(Shuffle, transposesBeforeAndAfterReshaping) {
    Shuffle layer = Shuffle::reshaping({3, 4});
    layer.firstTranspose = {1, 0};
    layer.secondTranspose = {1, 0};
    LayerCase{.inputs = {counted({2, 6})}, .expected = {ints({4, 3}, {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11})}}.expect(
        layer);
}

TEST(Shuffle, findsTheRestOfUnknownExtents) {
    Graph graph;
    Tensor* x =
        graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 480, DimExpr::symbol("H"), DimExpr::symbol("W")});
    EXPECT_EQ(text(graph.emit(Shuffle::reshaping({0, 0, -1}), {x})->shape), "[N,480,(H*W)]");
    EXPECT_EQ(text(graph.emit(Shuffle::reshaping({0, -1, 8, 15}), {x})->shape), "[N,((H*W)*4),8,15]");
    EXPECT_EQ(text(graph.emit(Shuffle::reshaping({-1, 7}), {x})->shape), "[((((N*H)*W)*480)/7),7]");
}

TEST(Shuffle, readsItsShapeFromShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 6, DimExpr::symbol("W")});
    ShapeOf batch;
    batch.end = 1;
    Tensor* shape =
        graph.emit(Concatenation{}, {graph.emit(batch, {x}), graph.emit(Constant(ints({3}, {2, 3, -1})), {})});
    EXPECT_EQ(text(graph.emit(Shuffle{}, {x, shape})->shape), "[N,2,3,W]");
}

TEST(Shuffle, takesUnknownExtentsFromAnInputOfKnownLength) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* shape = graph.addInput("shape", DataType::Int64, {2});
    EXPECT_EQ(text(graph.emit(Shuffle{}, {x, shape}, "node")->shape), "[node.shape0,node.shape1]");
    EXPECT_EQ(test::inferError(Shuffle{}, {{DataType::Float32, {4}}, {DataType::Int64, {DimExpr::symbol("L")}}}),
              "node (Shuffle): shape has shape [L]; expected a known length of at most 8");
}

TEST(Shuffle, followsTheElementsOfShapes) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3, 4, 5});
    Tensor* square = graph.emit(Shuffle::reshaping({2, 2}), {graph.emit(ShapeOf{}, {x})});
    EXPECT_EQ(text(*graph.emit(Shuffle::transposing({1, 0}), {square})->values), "[N,4,3,5]");
}

TEST(Shuffle, refusesShapesThatDoNotFit) {
    Shape const shape{2, 3, 4};
    auto const error = [&](Shuffle const& layer) { return test::inferError(layer, {{DataType::Float32, shape}}); };
    EXPECT_EQ(error(Shuffle::reshaping({5, 5})),
              "node (Shuffle): shape [2,3,4] has 24 elements and cannot be reshaped to [5,5]");
    EXPECT_EQ(error(Shuffle::reshaping({5, -1})),
              "node (Shuffle): shape [2,3,4] has 24 elements and cannot be reshaped to [5,-1]");
    EXPECT_EQ(error(Shuffle::reshaping({-1, -1})), "node (Shuffle): shape [-1,-1] has more than one -1");
    EXPECT_EQ(error(Shuffle::reshaping({2, 3, 4, 0})),
              "node (Shuffle): the 0 at axis 3 refers to an axis that shape [2,3,4] does not have");
    EXPECT_EQ(error(Shuffle::reshaping({-2, 12})), "node (Shuffle): a shape cannot have the extent -2 (axis 0)");
    EXPECT_EQ(error(Shuffle::transposing({0, 1, 1})),
              "node (Shuffle): permutation [0,1,1] of a tensor of rank 3; expected each axis from 0 to 2 once");
    EXPECT_EQ(test::inferError(Shuffle::reshaping({0, -1}), {{DataType::Float32, {0, 3}}}),
              "node (Shuffle): the -1 in shape [0,-1] is ambiguous with an extent of 0");
}

} // namespace
} // namespace tenon
