// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "backends/kernel.h"
#include "base/text.h"
#include "graph/reformat.h"
#include "layers/constant/constant.h"
#include "steps/epilogue.h"
#include "support/layer_case.h"
#include "support/recorded.h"
#include "support/tested_device.h"

#include <algorithm>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;
using enum PointwiseOp;

constexpr uint32_t kConstantWeights = 0b110;

Convolution windowed(Window window, int64_t groups = 1) {
    Convolution layer;
    layer.window = std::move(window);
    layer.groups = groups;
    return layer;
}

Convolution padded(std::vector<int64_t> pre, std::vector<int64_t> post) {
    Window window;
    window.prePadding = std::move(pre);
    window.postPadding = std::move(post);
    return windowed(window);
}

/// The inputs that record_convolution.py passed to ONNX Runtime, and its results: with weights that are constant and
/// with weights that are inputs.
struct Recorded {
    std::string name;
    Dims x, w;
    bool bias = true;

    void expect(Convolution const& layer) const {
        LayerCase test{.inputs = {spread(x, -1, 1), spread(w, -0.5, 0.5)},
                       .expected = {test::recorded("src/layers/convolution/convolution_test.txt", name)}};
        if (bias) test.inputs.push_back(spread({w[0]}, -1, 1));
        test.expect(layer);
        test.constants = kConstantWeights;
        test.expect(layer);
        for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
    }
};

TEST(Convolution, sumsUnderAPaddedWindow) {
    Recorded{"plain", {1, 3, 6, 7}, {4, 3, 3, 3}}.expect(padded({1, 1}, {1, 1}));
}

TEST(Convolution, takesMorePaddingThanItsWindowReaches) { // the library takes time and memory for each of its positions
    constexpr int64_t kPadding = 100'000;
    std::vector<float> y(2 * kPadding + 1);
    for (size_t i = 0; i < 3; ++i) y[kPadding + i] = static_cast<float>(2 * (3 - i)); // y[t] = Σ w[k] x[t + k - p]
    LayerCase{.inputs = {floats({1, 1, 3}, {0, 0, 2}), floats({1, 1, 3}, {1, 2, 3})},
              .expected = {floats({1, 1, 2 * kPadding + 1}, y)}}
        .expect(padded({kPadding}, {kPadding}));
}

TEST(Convolution, ofOneByOneWindowsMixesChannels) {
    Recorded{"manyChannels", {1, 20, 4, 5}, {18, 20, 1, 1}}.expect({});
}

TEST(Convolution, takesChannelsThatFillNoBlock) {
    Recorded{"wide3x3", {2, 18, 5, 4}, {20, 18, 3, 3}}.expect(padded({1, 1}, {1, 1}));
}

TEST(Convolution, takesUnevenPaddingAndStrides) {
    Recorded{"uneven", {1, 5, 7, 8}, {6, 5, 2, 3}, false}.expect(
        windowed({.stride = {2, 3}, .prePadding = {0, 1}, .postPadding = {2, 0}}));
}

TEST(Convolution, takesStridesThatNoPictureHas) { // 1·1 + 2·2 + 3·3
    LayerCase{.inputs = {floats({1, 1, 1, 3}, {1, 2, 3}), floats({1, 1, 1, 3}, {1, 2, 3})},
              .expected = {floats({1, 1, 1, 1}, {14})}}
        .expect(windowed({.stride = {INT32_MAX, INT32_MAX}}));
}

TEST(Convolution, ofEachChannelByItself) {
    Recorded{"depthwise", {1, 18, 6, 6}, {18, 1, 3, 3}}.expect(
        windowed({.stride = {2, 1}, .prePadding = {1, 1}, .postPadding = {1, 1}}, 18));
    Recorded{"depthwise5x5", {1, 16, 7, 6}, {16, 1, 5, 5}}.expect(
        windowed({.prePadding = {2, 2}, .postPadding = {2, 2}}, 16));
}

/// Sums of small integers that every type represents, so that each position of each border is visible; followed by a
/// ReLU. Large enough for kernels that compute several positions per thread if a GPU has plenty; small ones are above.
TEST(Convolution, ofEachChannelByItselfOverALargePicture) {
    if (test::testedBackend().device() == Device::Cpu) GTEST_SKIP() << "takes long, and is about GPUs";
    constexpr int64_t kChannels = 64;
    constexpr int64_t kHeight = 185;
    constexpr int64_t kWidth = 379;
    auto const x = [](int64_t c, int64_t h, int64_t w) { return static_cast<float>((c + 3 * h + 7 * w) % 5 - 2); };
    auto const weight = [](int64_t c, int64_t r, int64_t s) { return static_cast<float>((c + 2 * r + s) % 3 - 1); };
    std::vector<float> picture;
    std::vector<float> weights;
    std::vector<float> expected;
    for (int64_t i = 0; i < kChannels * 9; ++i) weights.push_back(weight(i / 9, i / 3 % 3, i % 3));
    for (int64_t i = 0; i < kChannels * kHeight * kWidth; ++i) {
        int64_t const c = i / kWidth / kHeight;
        int64_t const h = i / kWidth % kHeight;
        int64_t const w = i % kWidth;
        float sum = 0;
        for (int64_t tap = 0; tap < 9; ++tap) {
            int64_t const row = h + tap / 3 - 1;
            int64_t const column = w + tap % 3 - 1;
            bool const isInside = row >= 0 && row < kHeight && column >= 0 && column < kWidth;
            if (isInside) sum += x(c, row, column) * weight(c, tap / 3, tap % 3);
        }
        picture.push_back(x(c, h, w));
        expected.push_back(std::max(sum, 0.0F));
    }
    Dims const dims{1, kChannels, kHeight, kWidth};
    Convolution layer = windowed({.prePadding = {1, 1}, .postPadding = {1, 1}}, kChannels);
    layer.epilogue = {{Relu}};
    LayerCase{.inputs = {floats(dims, picture), floats({kChannels, 1, 3, 3}, weights)},
              .expected = {floats(dims, expected)},
              .constants = kConstantWeights}
        .expect(layer);
}

TEST(Convolution, takesGroups) {
    Recorded{"groups", {1, 8, 5, 4}, {6, 4, 2, 2}}.expect(windowed({}, 2));
    Recorded{"multiplier", {1, 4, 5, 5}, {8, 1, 3, 3}, false}.expect(windowed({}, 4));
}

TEST(Convolution, dilatesItsWindow) {
    Recorded{"dilated", {1, 4, 9, 8}, {3, 4, 3, 2}}.expect(windowed({.dilation = {3, 2}}));
}

TEST(Convolution, slidesOverOneAxisAndOverThree) {
    Recorded{"line", {2, 5, 9}, {4, 5, 3}}.expect(windowed({.stride = {2}, .prePadding = {1}, .postPadding = {2}}));
    Recorded{"volume", {1, 3, 4, 5, 4}, {5, 3, 2, 3, 2}}.expect(padded({0, 1, 0}, {1, 0, 1}));
}

TEST(Convolution, slidesOverFourAxes) { // numpy: a window of ones sums what it covers, here 2^4 ones and the bias
    LayerCase{.inputs = {floats({1, 1, 2, 2, 2, 3}, std::vector<float>(24, 1)),
                         floats({1, 1, 2, 2, 2, 2}, std::vector<float>(16, 1)), floats({1}, {0.5F})},
              .expected = {floats({1, 1, 1, 1, 1, 2}, {16.5F, 16.5F})}}
        .expect(Convolution{});
}

TEST(Convolution, padsToTheSameExtent) {
    Window window{.stride = {2, 1}};
    window.paddingMode = PaddingMode::SameUpper;
    Recorded{"sameUpper", {1, 3, 5, 6}, {2, 3, 3, 2}, false}.expect(windowed(window));
    window.paddingMode = PaddingMode::SameLower;
    Recorded{"sameLower", {1, 3, 5, 6}, {2, 3, 3, 2}, false}.expect(windowed(window));
}

TEST(Convolution, roundsUpWhereAsked) { // [1 2 3 4] with windows of 3 two apart: 1+2+3, and 3+4 past the end
    Window window{.stride = {2}};
    window.paddingMode = PaddingMode::ExplicitRoundUp;
    LayerCase{.inputs = {floats({1, 1, 4}, {1, 2, 3, 4}), floats({1, 1, 3}, {1, 1, 1})},
              .expected = {floats({1, 1, 2}, {6, 7})}}
        .expect(windowed(window));
}

TEST(Convolution, ofNoPicturesIsEmpty) {
    LayerCase{.inputs = {floats({0, 2, 3, 3}, {}), spread({2, 2, 1, 1}, -1, 1)}, .expected = {floats({0, 2, 3, 3}, {})}}
        .expect(Convolution{});
}

/// A 1×1 convolution that copies its 18 channels, so that only the epilogue is tested.
struct Finishing {
    Convolution layer;
    std::vector<Literal> extras;

    /// An operand has an element for each of [1,18,2,3], one per channel, or one.
    void stepOver(std::vector<float>& y, EpilogueStep const& step) const {
        constexpr size_t kNeighbours = 6;
        for (size_t i = 0; i < y.size(); ++i) {
            float operand = 0;
            if (step.input >= 0) {
                std::span<float const> const values = extras[static_cast<size_t>(step.input) - 3].as<float>();
                operand = values[values.size() == y.size() ? i : i / kNeighbours % values.size()];
            }
            y[i] = compute({step.op, 0, 1, step.alpha, step.beta}, y[i], operand);
        }
    }

    void expect() const {
        Literal const x = spread({1, 18, 2, 3}, -3, 3);
        std::vector<float> identity(18 * 18, 0);
        for (size_t i = 0; i < 18; ++i) identity[i * 19] = 1;
        LayerCase test{.inputs = {x, floats({18, 18, 1, 1}, identity), Literal()}, .expected = {}};
        test.tolerance = 1e-4; // approximations of exp and erf
        test.inputs.insert(test.inputs.end(), extras.begin(), extras.end());
        std::vector<float> y(x.as<float>().begin(), x.as<float>().end());
        for (EpilogueStep const& step : layer.epilogue) stepOver(y, step);
        test.expected = {floats(x.dims(), y)};
        test.constants = kConstantWeights;
        test.expect(layer);
        for (DataType type : {DataType::Float16, DataType::BFloat16}) test.in(type).expect(layer);
    }
};

Convolution with(Epilogue steps) {
    Convolution layer;
    layer.epilogue = std::move(steps);
    return layer;
}

TEST(Convolution, finishesWithEveryStepThatFits) {
    for (size_t op = 0; op < names(PointwiseOp{}).size(); ++op) {
        EpilogueStep const step{static_cast<PointwiseOp>(op), -1, 1, 1};
        if (!fitsEpilogue(step) || operandCount(step.op) == 2 || step.op == Sqrt) continue;
        SCOPED_TRACE(text(step.op));
        Finishing{with({step}), {}}.expect();
    }
    Finishing{with({{Abs}, {Sqrt}}), {}}.expect();
}

TEST(Convolution, finishesWithAClipWhoseBoundsCross) { Finishing{with({{Clip, -1, 6, 0}}), {}}.expect(); }

TEST(Convolution, finishesWithOperands) {
    Literal const residual = spread({1, 18, 2, 3}, -2, 2);
    Literal const perChannel = spread({18, 1, 1}, 0.5F, 2);
    for (PointwiseOp op : {Sum, Prod, Max, Min, Sub, Div}) {
        SCOPED_TRACE(text(op));
        Finishing{with({{op, 3}}), {residual}}.expect();
        Finishing{with({{op, 3}}), {perChannel}}.expect();
        Finishing{with({{op, 3}}), {floats({}, {0.75F})}}.expect();
    }
    // relu(2x + 1) * per channel + residual
    Finishing{with({{Affine, -1, 2, 1}, {Relu}, {Prod, 3}, {Sum, 4}}), {perChannel, residual}}.expect();
}

TEST(Convolution, readsAConstantOnceItIsPacked) {
    Literal const w = spread({4, 3, 3, 3}, -0.5, 0.5);
    LayerCase{.inputs = {spread({1, 3, 6, 7}, -1, 1), w, spread({4}, -1, 1)},
              .expected = {test::recorded("src/layers/convolution/convolution_test.txt", "plain")},
              .constants = 0b010} // the bias is an input
        .expect(padded({1, 1}, {1, 1}));
}

/// Weights packed for images of one size are valid for images of another.
TEST(Convolution, runsAtShapesThatItsWeightsWereNotPackedFor) {
    Graph graph;
    Tensor* w = graph.emit(Constant(spread({40, 3, 3, 3}, -0.5, 0.5)), {});
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 3, DimExpr::symbol("h"), DimExpr::symbol("w")});
    Node* node = graph.add(padded({1, 1}, {1, 1}).clone(), {x, w}, "node");
    std::vector<Dims> const large{{1, 3, 96, 96}, {40, 3, 3, 3}};
    std::vector<Dims> const small{{1, 3, 2, 3}, {40, 3, 3, 3}};
    std::vector<Dims> const largeResult{{1, 40, 96, 96}};
    std::vector<Dims> const smallResult{{1, 40, 2, 3}};
    Literal const picture = spread({1, 3, 2, 3}, -1, 1);
    std::vector<float> expected(240);
    node->layer->reference(std::vector{picture.view(), w->literal()->view()},
                           std::vector{HostTensor{DataType::Float32, {1, 40, 2, 3}, expected.data()}});
    Kernel const& kernel = *kernelNamed(Device::Cpu, "Convolution", "onednn_convolution");
    for (Variant const& variant : kernel.offer({*node, large, largeResult}).variants) {
        auto const packed = std::make_shared<Packed>(kernel.pack({*node, variant, large, largeResult, nullptr}));
        auto const executable = kernel.prepare({*node, variant, small, smallResult, packed});
        auto const in = allocateHost(bytesOf(small[0], variant.inputs[0]));
        auto const out = allocateHost(bytesOf(smallResult[0], variant.outputs[0]));
        auto const workspace = allocateHost(executable->workspaceBytes());
        reformat(small[0], {}, picture.data(), variant.inputs[0], in.get());
        void const* inputs[]{in.get(), nullptr};
        void* outputs[]{out.get()};
        executable->run({inputs, outputs, workspace.get(), nullptr});
        std::vector<float> found(240);
        reformat(smallResult[0], variant.outputs[0], out.get(), {}, found.data());
        for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << text(variant.outputs[0]);
    }
}

// An operand of the epilogue has the result's shape in one run, and one value per channel in the other: its label is
// the one that the engine was built for.
TEST(Convolution, readsOperandsThatHaveTheResultsShapeAtSomeShapesOnly) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {1, 5, DimExpr::symbol("h"), DimExpr::symbol("w")});
    Tensor* w = graph.emit(Constant(spread({5, 5, 1, 1}, -0.5, 0.5)), {});
    Tensor* bias = graph.emit(Constant(spread({5}, -1, 1)), {});
    Tensor* operand = graph.addInput("operand", DataType::Float32, {1, 5, 1, 1});
    Node const* node = graph.add(with({{Relu}, {Sum, 3}}).clone(), {x, w, bias, operand}, "node");
    std::vector<Dims> const large{{1, 5, 8, 8}, {5, 5, 1, 1}, {5}, {1, 5, 1, 1}};
    std::vector<Dims> const small{{1, 5, 1, 1}, {5, 5, 1, 1}, {5}, {1, 5, 1, 1}};
    auto const expect = [&](std::vector<Dims> const& built, std::vector<Dims> const& run) {
        test::expectAtOtherShapes(*node, {built, {built[0]}},
                                  {spread(run[0], -1, 1), *w->literal(), *bias->literal(), spread(run[3], -2, 2)});
    };
    expect(large, small);
    expect(small, large);
}

/// A convolution with work for several threads.
struct Large {
    Dims x;
    Dims w;
    Convolution layer = padded({1, 1}, {1, 1});
    Dims operand = {}; // of a last step that adds it
    bool hasBias = true;

    void expect() const {
        Graph graph;
        std::vector<Tensor*> in{graph.addInput("x", DataType::Float32, toShape(x)),
                                graph.emit(Constant(spread(w, -0.1F, 0.1F)), {})};
        std::vector<Literal> values{spread(x, -1, 1), *in[1]->literal()};
        in.push_back(hasBias ? graph.emit(Constant(spread({w[0]}, -1, 1)), {}) : nullptr);
        values.push_back(hasBias ? *in[2]->literal() : Literal());
        Convolution finished = layer;
        finished.epilogue = {{Relu}};
        if (operand.rank() != 0) {
            in.push_back(graph.addInput("operand", DataType::Float32, toShape(operand)));
            values.push_back(spread(operand, -2, 2));
            finished.epilogue = {{Sum, 3}, {Relu}};
        }
        test::expectAlikeOnAnyThreads(*graph.add(finished.clone(), in, "node"), values);
    }
};

TEST(Convolution, isTheSameOnAnyThreads) {
    Large{{1, 32, 20, 20}, {72, 32, 3, 3}}.expect(); // blocks of channels, or rows
    Large{{1, 32, 20, 20}, {64, 32, 3, 3}, padded({1, 1}, {1, 1}), {1, 64, 20, 20}}.expect();
    Large{{1, 32, 20, 20}, {64, 32, 3, 3}, padded({1, 1}, {1, 1}), {64, 1, 1}}.expect(); // one value per channel
    Large{{5, 16, 12, 12}, {40, 16, 3, 3}, padded({1, 1}, {1, 1}), {5, 40, 12, 12}}.expect();
    Large{{2, 24, 16, 16}, {48, 24, 3, 3}, padded({1, 1}, {1, 1}), {}, false}.expect(); // items, and channels of each
    Large{{1, 3, 64, 64}, {32, 3, 3, 3}}.expect();
    Large{{1, 128, 20, 20}, {64, 128, 1, 1}, {}}.expect();
}

TEST(Convolution, isTheSameOnAnyThreadsWithStridesAndGroups) {
    Convolution strided = padded({3, 3}, {3, 3});
    strided.window.stride = {2, 2};
    Large{{1, 8, 60, 60}, {64, 8, 7, 7}, strided}.expect();
    Convolution dilated = padded({2, 2}, {2, 2});
    dilated.window.dilation = {2, 2};
    Large{{1, 32, 20, 20}, {64, 32, 3, 3}, dilated}.expect();
    Convolution each = padded({1, 1}, {1, 1});
    each.groups = 96;
    Large{{1, 96, 64, 64}, {96, 1, 3, 3}, each}.expect();
    Convolution grouped = padded({1, 1}, {1, 1});
    grouped.groups = 4;
    Large{{1, 64, 24, 24}, {128, 16, 3, 3}, grouped}.expect();
    Large{{1, 24, 24, 24}, {96, 6, 3, 3}, grouped}.expect(); // groups that do not fill a block
}

std::string error(Convolution const& layer, Shape const& x, Shape const& w) {
    return test::inferError(layer, {{DataType::Float32, x}, {DataType::Float32, w}});
}

TEST(Convolution, refusesChannelsThatDoNotMatch) {
    EXPECT_EQ(error({}, {1, 32, 56, 56}, {8, 64, 3, 3}),
              "node (Convolution): weights [8,64,3,3] have 64 input channels in 1 group, input 0 [1,32,56,56] has 32");
    EXPECT_EQ(error(windowed({}, 2), {1, 32, 56, 56}, {8, 32, 3, 3}),
              "node (Convolution): weights [8,32,3,3] have 64 input channels in 2 groups, input 0 [1,32,56,56] has 32");
    EXPECT_EQ(error(windowed({}, 3), {1, 6, 5, 5}, {8, 2, 3, 3}),
              "node (Convolution): weights [8,2,3,3] have 8 output channels, not divisible by 3 groups");
}

TEST(Convolution, refusesABiasOfAnotherLength) {
    EXPECT_EQ(test::inferError(
                  Convolution{},
                  {{DataType::Float32, {1, 2, 5, 5}}, {DataType::Float32, {4, 2, 3, 3}}, {DataType::Float32, {3}}}),
              "node (Convolution): bias [3] has 3 elements for 4 output channels");
}

TEST(Convolution, refusesAWindowThatDoesNotFit) {
    EXPECT_EQ(error(padded({0, 0}, {1, 0}), {1, 1, 3, 3}, {1, 1, 5, 3}),
              "node (Convolution): a window of 5 does not fit into 3 with padding 0 and 1");
}

TEST(Convolution, refusesNumbersThatMakeNoSense) {
    EXPECT_EQ(error(windowed({.stride = {1, 0}}), {1, 1, 3, 3}, {1, 1, 1, 1}),
              "node (Convolution): stride [1, 0] has 0; expected 1 or more");
    EXPECT_EQ(error(windowed({.stride = {1}}), {1, 1, 3, 3}, {1, 1, 1, 1}),
              "node (Convolution): stride [1] has 1 numbers for 2 spatial axes");
    EXPECT_EQ(error(padded({0, -1}, {0, 0}), {1, 1, 3, 3}, {1, 1, 1, 1}),
              "node (Convolution): pre-padding [0, -1] has -1; expected 0 or more");
    EXPECT_EQ(error({}, {3, 3}, {1, 1}),
              "node (Convolution): input 0 has shape [3,3], of rank 2; expected rank 3 to 8");
    EXPECT_EQ(error({}, {1, 1, 3, 3}, {1, 1, 3}),
              "node (Convolution): input 1 has shape [1,1,3], of rank 3; expected rank 4");
}

TEST(Convolution, refusesOperandsThatItsEpilogueCannotRead) {
    Convolution const sum = with({{Sum, 3}});
    auto const withOperand = [&](Convolution const& layer, Shape const& operand) {
        DataType const type = DataType::Float32;
        return test::inferError(layer, {{type, {1, 2, 3, 3}}, {type, {4, 2, 1, 1}}, {type, {4}}, {type, operand}});
    };
    EXPECT_EQ(withOperand(sum, {2, 4, 3, 3}),
              "node (Convolution): input 3 [2,4,3,3] does not broadcast to the result [1,4,3,3]");
    EXPECT_EQ(withOperand({}, {4, 1, 1}), "node (Convolution): has 4 inputs; expected at most 3, as no step of its "
                                          "epilogue reads input 3");
    EXPECT_EQ(withOperand(with({{Sum, 2}}), {4, 1, 1}),
              "node (Convolution): step 0 of the epilogue (Sum) reads input 2; expected 3 to 3");
    EXPECT_EQ(withOperand(with({{Sum, 3}, {Relu, 3}}), {4, 1, 1}),
              "node (Convolution): step 1 of the epilogue (Relu) reads input 3; expected -1, none");
    EXPECT_EQ(withOperand(with({{Equal, 3}}), {4, 1, 1}),
              "node (Convolution): step 0 of the epilogue is Equal, which does not give a number");
    EXPECT_EQ(withOperand(with(Epilogue(17, {Sum, 3})), {4, 1, 1}),
              "node (Convolution): has an epilogue of 17 steps; expected at most 16");
    EXPECT_EQ(withOperand(with(Epilogue(7, {Sum, 3})), {4, 1, 1}),
              "node (Convolution): has an epilogue that reads 7 inputs; expected at most 6");
}

} // namespace
} // namespace tenon
