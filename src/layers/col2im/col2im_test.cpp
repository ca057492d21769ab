// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/col2im/col2im.h"

#include "layers/constant/constant.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;

// by hand: blocks of 1×2 in an image of 1×3, which has two positions
TEST(Col2Im, sumsUpWhereBlocksOverlap) {
    LayerCase const layerCase{.inputs = {floats({1, 2, 2}, {1, 2, 3, 4}), ints({2}, {1, 3}), ints({2}, {1, 2})},
                              .expected = {floats({1, 1, 1, 3}, {1, 5, 4})}};
    layerCase.expect(Col2Im());
    layerCase.in(DataType::Float16).expect(Col2Im());
    LayerCase{.inputs = {ints({1, 2, 2}, {1, 2, 3, int64_t{1} << 60}), ints({2}, {1, 3}), ints({2}, {1, 2})},
              .expected = {ints({1, 1, 1, 3}, {1, 5, int64_t{1} << 60})}}
        .expect(Col2Im());
}

// by hand: along one axis of 5 with one more before it, blocks of two elements 2 apart at -1 and 2
TEST(Col2Im, takesStridesDilationsAndPadding) {
    Col2Im layer;
    layer.strides = {3};
    layer.dilations = {2};
    layer.pads = {1, 0};
    LayerCase{.inputs = {floats({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({1}, {5}), ints({1}, {2})},
              .expected = {floats({1, 2, 5}, {0, 3, 2, 0, 4, 0, 7, 6, 0, 8})}}
        .expect(layer);
}

std::string errorFor(Literal const& image, Literal const& block, Col2Im const& layer = {}) {
    return test::errorOf([&] {
        Graph graph;
        Tensor* columns = graph.addInput("x", DataType::Float32, {1, 4, 2});
        graph.add(layer.clone(),
                  {columns, graph.emit(Constant(image), {}, "image"), graph.emit(Constant(block), {}, "block")},
                  "node");
    });
}

TEST(Col2Im, refusesWhatDoesNotFit) {
    EXPECT_EQ(errorFor(ints({2}, {1, 3}), ints({1}, {2})),
              "node (Col2Im): image has 2 axes and block 1; expected the same number, 1 to 6");
    EXPECT_EQ(errorFor(ints({1}, {5}), ints({1}, {3})),
              "node (Col2Im): columns [1,4,2] has 4 rows; a block [3] makes 3 of each channel");
    EXPECT_EQ(errorFor(ints({1}, {5}), ints({1}, {2})),
              "node (Col2Im): columns [1,4,2] has 2 columns; a block [2] has 4 positions in an image [5]");
    EXPECT_EQ(errorFor(ints({1}, {5}), ints({1}, {0})), "node (Col2Im): block is [0]; expected 1 or more");
    Col2Im layer;
    layer.strides = {1, 1};
    EXPECT_EQ(errorFor(ints({1}, {5}), ints({1}, {2}), layer), "node (Col2Im): there are 2 strides; expected 1");
    layer.strides = {0};
    EXPECT_EQ(errorFor(ints({1}, {5}), ints({1}, {2}), layer),
              "node (Col2Im): one of the strides is 0; expected at least 1");
}

} // namespace
} // namespace tenon
