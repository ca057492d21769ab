// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "layers/constant/constant.h"
#include "support/layer_case.h"
#include "support/recorded.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;

constexpr uint32_t kConstantWeights = 0b110;

Deconvolution windowed(Window window, int64_t groups = 1) {
    Deconvolution layer;
    layer.window = std::move(window);
    layer.groups = groups;
    return layer;
}

/// The inputs that record_deconvolution.py passed to ONNX Runtime, and its results: with weights that are constant and
/// with weights that are inputs.
struct Recorded {
    std::string name;
    Dims x, w;
    bool bias = true;

    void expect(Deconvolution const& layer) const {
        LayerCase test{.inputs = {spread(x, -1, 1), spread(w, -0.5, 0.5)},
                       .expected = {test::recorded("src/layers/deconvolution/deconvolution_test.txt", name)}};
        if (bias) test.inputs.push_back(spread({w[1] * layer.groups}, -1, 1));
        test.expect(layer);
        test.constants = kConstantWeights;
        test.expect(layer);
        for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
    }
};

TEST(Deconvolution, doublesAPicture) {
    Recorded{"doubling", {1, 18, 3, 4}, {18, 20, 2, 2}}.expect(windowed({.stride = {2, 2}}));
    Recorded{"oneChannel", {2, 24, 3, 3}, {24, 1, 2, 2}}.expect(windowed({.stride = {2, 2}}));
}

TEST(Deconvolution, cutsOffItsPadding) {
    Recorded{"padded", {1, 3, 4, 3}, {3, 4, 3, 3}, false}.expect(
        windowed({.stride = {2, 1}, .prePadding = {1, 0}, .postPadding = {0, 1}}));
}

TEST(Deconvolution, dilatesItsWindow) {
    Recorded{"dilated", {1, 3, 4, 3}, {3, 4, 3, 2}}.expect(windowed({.dilation = {2, 2}}));
}

TEST(Deconvolution, takesGroups) {
    Recorded{"groups", {1, 6, 3, 3}, {6, 2, 3, 2}}.expect(windowed({.stride = {1, 2}}, 3));
}

TEST(Deconvolution, addsOutputPadding) {
    Deconvolution layer = windowed({.stride = {3, 2}, .prePadding = {1, 1}, .postPadding = {1, 1}});
    layer.outputPadding = {2, 1};
    Recorded{"outputPadding", {1, 3, 3, 4}, {3, 2, 3, 3}}.expect(layer);
}

TEST(Deconvolution, padsToAGivenShape) {
    Deconvolution layer = windowed({.stride = {3, 2}});
    layer.outputShape = {10, 8};
    Recorded{"outputShape", {1, 2, 3, 3}, {2, 2, 3, 3}, false}.expect(layer);
    layer = windowed({.stride = {2, 2}});
    layer.outputShape = {6, 4};
    Recorded{"shorterShape", {1, 2, 3, 3}, {2, 2, 3, 3}, false}.expect(layer);
}

TEST(Deconvolution, padsToTheExtentTimesTheStride) {
    Window window{.stride = {1, 2}};
    window.paddingMode = PaddingMode::SameUpper;
    Recorded{"sameUpper", {1, 2, 3, 4}, {2, 3, 4, 3}, false}.expect(windowed(window));
    window.paddingMode = PaddingMode::SameLower;
    Recorded{"sameLower", {1, 2, 3, 4}, {2, 3, 4, 3}, false}.expect(windowed(window));
}

TEST(Deconvolution, spreadsOverOneAxisAndOverThree) {
    Recorded{"line", {2, 3, 5}, {3, 2, 4}}.expect(windowed({.stride = {3}, .prePadding = {1}, .postPadding = {1}}));
    Recorded{"volume", {1, 2, 2, 3, 2}, {2, 3, 2, 2, 3}}.expect(windowed({.stride = {2, 1, 1}}));
}

TEST(Deconvolution, finishesWithItsEpilogue) { // 1 * [1 1] spread two apart, relu(2y - 1)
    Deconvolution layer = windowed({.stride = {2}});
    layer.epilogue = {{PointwiseOp::Affine, -1, 2, -1}, {PointwiseOp::Relu}};
    LayerCase{.inputs = {floats({1, 1, 2}, {1, -3}), floats({1, 1, 2}, {1, 0.25F})},
              .expected = {floats({1, 1, 4}, {1, 0, 0, 0})},
              .constants = kConstantWeights}
        .expect(layer);
}

std::string error(Deconvolution const& layer, Shape const& x, Shape const& w) {
    return test::inferError(layer, {{DataType::Float32, x}, {DataType::Float32, w}});
}

void expectAlike(std::vector<int> const& threads, Dims const& x, Dims const& w, Window const& window,
                 Dims const& operand = {}) {
    Graph graph;
    Deconvolution layer;
    layer.window = window;
    Literal const weights = spread(w, -0.1F, 0.1F);
    Literal const bias = spread({w[1]}, -1, 1);
    std::vector<Tensor*> in{graph.addInput("x", DataType::Float32, toShape(x)), graph.emit(Constant(weights), {}),
                            graph.emit(Constant(bias), {})};
    std::vector<Literal> values{spread(x, -1, 1), weights, bias};
    if (operand.rank() != 0) {
        layer.epilogue = {{PointwiseOp::Sum, 3}, {PointwiseOp::Relu}};
        in.push_back(graph.addInput("operand", DataType::Float32, toShape(operand)));
        values.push_back(spread(operand, -2, 2));
    }
    test::expectAlikeOnThreads(*graph.add(layer.clone(), in, "node"), values, threads);
}

TEST(Deconvolution, isTheSameOnAnyThreads) {
    Window tiles;
    tiles.stride = {2, 2};
    expectAlike({2, 3, 8}, {1, 64, 24, 24}, {64, 32, 2, 2}, tiles, {1, 32, 48, 48});
    expectAlike({2, 3, 8}, {3, 64, 16, 16}, {64, 40, 2, 2}, tiles);
    Window overlapping;
    overlapping.stride = {2, 2};
    overlapping.prePadding = overlapping.postPadding = {1, 1};
    // oneDNN 3 divides these among more than two, and then sums in another order.
    expectAlike({2}, {1, 32, 16, 16}, {32, 32, 4, 4}, overlapping);
    expectAlike({2}, {4, 32, 12, 12}, {32, 24, 4, 4}, overlapping, {4, 24, 24, 24});
}

TEST(Deconvolution, refusesChannelsThatDoNotMatch) {
    EXPECT_EQ(error({}, {1, 32, 5, 5}, {64, 8, 3, 3}),
              "node (Deconvolution): weights [64,8,3,3] have 64 input channels, input 0 [1,32,5,5] has 32");
    EXPECT_EQ(error(windowed({}, 3), {1, 32, 5, 5}, {32, 8, 3, 3}),
              "node (Deconvolution): weights [32,8,3,3] have 32 input channels, not divisible by 3 groups");
    EXPECT_EQ(test::inferError(
                  windowed({}, 2),
                  {{DataType::Float32, {1, 2, 5, 5}}, {DataType::Float32, {2, 4, 3, 3}}, {DataType::Float32, {4}}}),
              "node (Deconvolution): bias [4] has 4 elements for 8 output channels");
}

TEST(Deconvolution, refusesPaddingThatLeavesNothing) {
    EXPECT_EQ(error(windowed({.prePadding = {4}, .postPadding = {4}}), {1, 1, 3}, {1, 1, 3}),
              "node (Deconvolution): padding 4 and 4 removes more than the 5 existing elements");
    Deconvolution layer;
    layer.outputPadding = {1};
    EXPECT_EQ(error(layer, {1, 1, 3, 3}, {1, 1, 3, 3}),
              "node (Deconvolution): output padding is [1]; expected 2 numbers of 0 or more");
}

} // namespace
} // namespace tenon
