// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "graph/evaluate.h"
#include "layers/roi_align/roi_sums.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/recorded.h"

#include <tuple>

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::ints;
using test::LayerCase;
using test::OneOp;
using test::spread;

RoiAlign pooling(int64_t height, int64_t width, double scale, int64_t points = 0) {
    RoiAlign layer;
    layer.height = height;
    layer.width = width;
    layer.scale = scale;
    layer.points = points;
    return layer;
}

RoiAlign wholePixel(RoiAlign layer) {
    layer.halfPixel = false;
    return layer;
}

/// Expects the results of ONNX Runtime for the inputs of record_roi_align.py.
void expectRecorded(std::string const& name, RoiAlign const& layer) {
    Literal const rois = floats({5, 4}, {1, 2, 9, 8, -3, -2, 4, 5, 30, 30, 40, 40, 6, 6, 2, 3, 5, 5, 5, 5});
    LayerCase layerCase{.inputs = {spread({2, 3, 7, 10}, -1, 1), rois, ints({5}, {0, 1, 0, 1, 0})},
                        .expected = {test::recorded("src/layers/roi_align/roi_align_test.txt", name)}};
    layerCase.expect(layer);
    layerCase.in(DataType::Float16).expect(layer);
    layerCase.inputs[2] = Literal::of<int32_t>({5}, {0, 1, 0, 1, 0});
    layerCase.expect(layer);
}

TEST(RoiAlign, averagesPointsOfBins) {
    expectRecorded("halfPixel", pooling(2, 3, 0.5, 2));
    expectRecorded("wholePixel", wholePixel(pooling(2, 3, 0.5, 2)));
}

TEST(RoiAlign, takesAPointForEachElement) {
    expectRecorded("asManyAsElements", pooling(3, 2, 0.75));
    expectRecorded("asManyAsElementsWholePixel", wholePixel(pooling(3, 2, 0.75)));
}

// by hand: the points are at 3/4 and 5/4 of each side, so the largest products are 4 · 1/4 · 3/4 (twice) and 4 · 9/16
TEST(RoiAlign, takesTheGreatestProduct) {
    RoiAlign layer = wholePixel(pooling(1, 1, 1, 2));
    layer.mode = RoiAlign::Mode::Max;
    LayerCase{.inputs = {floats({1, 1, 3, 3}, {-1, -1, -1, -1, 4, -1, -1, -1, -1}),
                         floats({1, 4}, {0.5F, 0.5F, 1.5F, 1.5F}), ints({1}, {0})},
              .expected = {floats({1, 1, 1, 1}, {2.25F})}}
        .expect(layer);
}

/// An image whose channels are linear functions: interpolation is exact, so that a bin is the value at its center.
void expectOfPlane(Dims const& picture, RoiAlign const& layer, std::vector<float> const& region) {
    auto const [channels, height, width] = std::tuple(picture[0], picture[1], picture[2]);
    auto const plane = [&](int64_t channel, float row, float column) {
        float const most = row / static_cast<float>(height) - column / static_cast<float>(width);
        return most * static_cast<float>(channel + 1) / static_cast<float>(channels);
    };
    auto const middle = [](float from, float to, int64_t bin, int64_t bins) {
        return from - 0.5F + (to - from) * (static_cast<float>(bin) + 0.5F) / static_cast<float>(bins);
    };
    std::vector<float> x, expected;
    for (int64_t channel = 0; channel < channels; ++channel) {
        for (int64_t i = 0; i < height * width; ++i)
            x.push_back(plane(channel, static_cast<float>(i / width), static_cast<float>(i % width)));
        for (int64_t i = 0; i < layer.height * layer.width; ++i)
            expected.push_back(plane(channel, middle(region[1], region[3], i / layer.width, layer.height),
                                     middle(region[0], region[2], i % layer.width, layer.width)));
    }
    LayerCase{.inputs = {floats({1, channels, height, width}, x), floats({1, 4}, region), ints({1}, {0})},
              .expected = {floats({1, channels, layer.height, layer.width}, expected)}}
        .expect(layer);
}

TEST(RoiAlign, ofAPlaneIsThePlane) {
    for (int64_t const points : {0, 1, 2, 3}) { // 0: one per element
        for (int64_t const width : {5, 20, 100, 3000}) {
            auto const most = static_cast<float>(width) - 1;
            expectOfPlane({1, 30, width}, pooling(7, 5, 1, points), {1, 2, most, 28.5F});
            expectOfPlane({1, 30, width}, pooling(2, 3, 1, points), {1, 2.25F, std::min(most, 4.5F), 9});
        }
    }
    expectOfPlane({1, 30, 40}, pooling(3, 4, 1, 2), {35, 20, 3, 2}); // reversed
}

// Numbers of channels that kernels divide among threads, and process several at once or not.
TEST(RoiAlign, ofManyChannelsHasEach) {
    for (int64_t const channels : {8, 20, 203, 600})
        expectOfPlane({channels, 9, 12}, pooling(7, 7, 1, 2), {1, 2, 10, 8});
    expectOfPlane({2, 9, 12}, pooling(150, 120, 1, 2), {1, 2, 10, 8}); // more bins than a tile has room for
    expectOfPlane({8, 9, 12}, pooling(57, 1, 1, 2), {10, 8, 1, 2});
}

/// Each bin has the same weights as when bins are computed one after the other, and none of another bin.
void expectApart(RoiSide const& side, int64_t bins, int64_t extent) {
    std::vector<RoiShare> shares(static_cast<size_t>(RoiSums::mostShares(bins, extent)));
    std::vector<RoiShare> apart(static_cast<size_t>(mostSharesApart(bins, extent)));
    std::vector<int32_t> ends(static_cast<size_t>(bins)), owners(apart.size(), -1);
    RoiSums const sums(shares.data(), ends.data(), side, bins, extent);
    for (int64_t bin = 0; bin < bins; ++bin) {
        RoiSpan const span = findApart(apart.data(), side, bin, bins, extent);
        RoiBin const expected = sums.bin(bin);
        ASSERT_EQ(span.end - span.first, expected.end - expected.begin);
        for (int32_t i = span.first; i < span.end; ++i) {
            auto const at = static_cast<size_t>(i);
            EXPECT_EQ(owners.at(at), -1) << "shares of bins " << owners[at] << " and " << bin << " are at " << i;
            owners[at] = static_cast<int32_t>(bin);
            EXPECT_EQ(apart[at].at, expected.begin[i - span.first].at);
            EXPECT_EQ(apart[at].weight, expected.begin[i - span.first].weight);
        }
    }
}

TEST(RoiAlign, findsTheSharesOfBinsApart) {
    for (int64_t const points : {0, 1, 2, 5}) {
        RoiFields const fields(pooling(1, 1, 1, points));
        for (float const start : {-1e30F, -20.F, -0.25F, 0.F, 3.5F, 4.9999995F, 11.F, 2040.5F}) {
            for (float const length : {-1e30F, -30.F, -2e-6F, 0.F, 1e-6F, 0.3F, 1.F, 5.F, 12.F, 90.F, 1e30F}) {
                for (int64_t const extent : {1, 2, 12, 2050})
                    expectApart(RoiSide(start, start + length, 7, fields), 7, extent);
            }
        }
    }
}

TEST(RoiAlign, refusesWhatDoesNotFit) {
    test::Input const x{DataType::Float32, {1, 2, 3, 4}};
    test::Input const rois{DataType::Float32, {5, 4}};
    test::Input const items{DataType::Int64, {5}};
    RoiAlign const layer;
    EXPECT_EQ(inferError(layer, {x, {DataType::Float32, {5, 5}}, items}),
              "node (RoiAlign): rois [5,5] has 5 numbers for each region; expected 4");
    EXPECT_EQ(inferError(layer, {x, rois, {DataType::Int64, {3}}}),
              "node (RoiAlign): rois [5,4] and batch indices [3] differ in their number of regions");
    EXPECT_EQ(inferError(layer, {x, rois, {DataType::Float32, {5}}}),
              "node (RoiAlign): batch indices is float32; expected int32 or int64");
    EXPECT_EQ(inferError(pooling(0, 1, 1), {x, rois, items}),
              "node (RoiAlign): the output regions are 0 by 1; expected at least 1 by 1");
    EXPECT_EQ(inferError(pooling(1, 1, 1, -1), {x, rois, items}),
              "node (RoiAlign): a bin has -1 points along a side; expected 0 to 4096");
    EXPECT_EQ(inferError(pooling(1, 1, 1, INT32_MAX), {x, rois, items}),
              "node (RoiAlign): a bin has 2147483647 points along a side; expected 0 to 4096");
}

TEST(RoiAlign, refusesRegionsOfPicturesThatAreNotThere) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 1, 2, 2});
    Tensor* rois = graph.addInput("rois", DataType::Float32, {1, 4});
    Tensor* items = graph.addInput("items", DataType::Int64, {1});
    graph.markOutput(graph.emit(RoiAlign(), {x, rois, items}, "node"));
    std::vector<Literal> const inputs{floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 4}, {0, 0, 1, 1}), ints({1}, {1})};
    std::string const text = "region 0 is of batch item 1; X has 1";
    EXPECT_NE(test::errorOf([&] { evaluate(*graph.nodes()[0], test::pointersTo(inputs)); }).find(text),
              std::string::npos);
}

std::string errorFor(int opset, std::string const& attribute) {
    return OneOp{.op = "RoiAlign",
                 .opset = opset,
                 .attributes = {{attribute, std::string("magic")}},
                 .inputs = {floats({1, 1, 1, 1}, {1}), floats({1, 4}, {0, 0, 1, 1}), ints({1}, {0})}}
        .error();
}

TEST(RoiAlign, refusesAttributesThatOnnxDoesNotHave) {
    EXPECT_NE(errorFor(10, "mode").find("mode is \"magic\"; expected avg or max"), std::string::npos);
    EXPECT_NE(errorFor(16, "coordinate_transformation_mode")
                  .find("coordinate_transformation_mode is \"magic\"; expected half_pixel or output_half_pixel"),
              std::string::npos);
}

// one point, at the center of the region: at (1, 1) if the first element is at 0, at (1/2, 1/2) if it is at 1/2
TEST(RoiAlign, ofOnnxHasTheFirstElementAtZeroBeforeOpset16) {
    OneOp op{.op = "RoiAlign",
             .opset = 10,
             .attributes = {{"sampling_ratio", int64_t{1}}},
             .inputs = {floats({1, 1, 2, 2}, {0, 2, 4, 6}), floats({1, 4}, {0, 0, 2, 2}), ints({1}, {0})}};
    EXPECT_EQ(op.run()[0], floats({1, 1, 1, 1}, {6}));
    op.opset = 16;
    EXPECT_EQ(op.run()[0], floats({1, 1, 1, 1}, {3}));
}

} // namespace
} // namespace tenon
