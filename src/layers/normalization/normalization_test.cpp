// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/recorded.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::OneOp;
using test::spread;

constexpr auto kRecords = "src/layers/normalization/normalization_test.txt";

Normalization over(std::vector<int64_t> axes, int64_t groups = 1, double epsilon = 1e-5) {
    Normalization layer;
    layer.axes = std::move(axes);
    layer.groups = groups;
    layer.epsilon = epsilon;
    return layer;
}

/// The results recorded by record_normalization.py, with scale and bias in the shape that the layer supports.
LayerCase recordedCase(std::string const& name, Dims const& x, Dims const& parameters) {
    return {.inputs = {spread(x, -2, 3), spread(parameters, 0.5F, 2), spread(parameters, -1, 1)},
            .expected = {test::recorded(kRecords, name)}};
}

/// The same case with X split into three parts: X, a skip of its shape and a shift of these extents.
LayerCase inParts(LayerCase test, Dims const& shift) {
    Dims const dims = test.inputs[0].dims();
    std::vector<float> x = test.inputs[0].toFloat();
    std::vector<float> skip;
    std::vector<float> shifts;
    for (int64_t i = 0; i < shift.volume(); ++i) shifts.push_back(0.5F * static_cast<float>(i % 5 - 1));
    Dims const strides = broadcastStrides(shift, dims);
    Dims index = Dims::filled(dims.rank(), 0);
    for (float& element : x) {
        int64_t at = 0;
        for (int axis = 0; axis < dims.rank(); ++axis) at += index[axis] * strides[axis];
        skip.push_back(0.25F * static_cast<float>(skip.size() % 7));
        element -= skip.back() + shifts[static_cast<size_t>(at)];
        nextIndex(index, dims);
    }
    test.inputs[0] = floats(dims, x);
    test.inputs.resize(Normalization::kSkip);
    test.inputs.push_back(floats(dims, skip));
    test.inputs.push_back(floats(shift, shifts));
    return test;
}

/// The same layer and case with an epilogue: y / (1 + exp(-y)), and then the sum with another input, in two forms: a
/// tensor of Y's shape and one value for each index of the last axis.
void expectFinished(LayerCase test, Normalization layer) {
    layer.epilogue = {{PointwiseOp::Swish, -1, 1},
                      {PointwiseOp::Sum, Normalization::kFirstExtra},
                      {PointwiseOp::Prod, Normalization::kFirstExtra + 1},
                      {PointwiseOp::Relu}};
    Dims const dims = test.expected[0].dims();
    std::vector<float> y = test.expected[0].toFloat();
    std::vector<float> more;
    std::vector<float> factors;
    for (int64_t i = 0; i < dims[dims.rank() - 1]; ++i) factors.push_back(0.5F * static_cast<float>(i % 3 + 1));
    for (float& element : y) {
        size_t const i = more.size();
        more.push_back(0.25F * static_cast<float>(i % 5));
        element = std::max(0.F, (element / (1 + std::exp(-element)) + more[i]) * factors[i % factors.size()]);
    }
    test.inputs.resize(Normalization::kFirstExtra);
    test.inputs.push_back(floats(dims, more));
    test.inputs.push_back(floats({dims[dims.rank() - 1]}, factors));
    test.expected = {floats(dims, y)};
    test.expect(layer);
}

TEST(Normalization, normalizesRows) {
    for (int64_t const length : {1, 7, 31, 120}) {
        LayerCase const test = recordedCase(text("layer.", length), {3, length}, {length});
        test.expect(over({1}));
        test.in(DataType::Float16).expect(over({1}));
        test.in(DataType::BFloat16).expect(over({1}));
    }
}

TEST(Normalization, normalizesAlongSeveralAxes) {
    recordedCase("layer.lastTwo", {2, 3, 4, 5}, {4, 5}).expect(over({2, -1}, 1, 0.25));
    recordedCase("layer.all", {3, 4, 5}, {3, 4, 5}).expect(over({0, 1, 2}));
    recordedCase("layer.last", {2, 3, 40}, {40}).expect(over({-1}));
}

TEST(Normalization, normalizesEachChannel) {
    recordedCase("instance", {2, 6, 3, 5}, {6, 1, 1}).expect(over({2, 3}));
    recordedCase("instance", {2, 6, 3, 5}, {6, 1, 1}).expect(over({2, 3}, 6));
    recordedCase("instance.line", {2, 3, 16}, {1, 3, 1}).expect(over({2}, 1, 0.5));
}

TEST(Normalization, normalizesGroupsOfChannels) {
    recordedCase("group.3", {2, 6, 3, 5}, {1, 6, 1, 1}).expect(over({2, 3}, 3));
    recordedCase("group.wide", {2, 4, 4, 4}, {4, 1, 1}).expect(over({2, 3}, 2));
    recordedCase("group.wide", {2, 4, 4, 4}, {4, 1, 1}).in(DataType::Float16).expect(over({2, 3}, 2));
    recordedCase("group.1", {2, 6, 3, 5}, {6, 1, 1}).expect(over({1, 2, 3}));
}

TEST(Normalization, normalizesSums) {
    inParts(recordedCase("layer.120", {3, 120}, {120}), {120}).expect(over({1}));
    inParts(recordedCase("layer.31", {3, 31}, {31}), {1}).expect(over({1}));
    inParts(recordedCase("layer.lastTwo", {2, 3, 4, 5}, {4, 5}), {4, 1}).expect(over({2, -1}, 1, 0.25));
    inParts(recordedCase("instance", {2, 6, 3, 5}, {6, 1, 1}), {6, 1, 1}).expect(over({2, 3}));
    inParts(recordedCase("group.3", {2, 6, 3, 5}, {1, 6, 1, 1}), {6, 1, 1}).expect(over({2, 3}, 3));
    inParts(recordedCase("group.wide", {2, 4, 4, 4}, {4, 1, 1}), {4, 1, 1}).expect(over({2, 3}, 2));
    inParts(recordedCase("group.wide", {2, 4, 4, 4}, {4, 1, 1}), {1, 4, 1, 1})
        .in(DataType::Float16)
        .expect(over({2, 3}, 2));
}

TEST(Normalization, addsASkipOrAShiftAlone) { // the sums are -1, 1, -3, 3
    Literal const y = floats({2, 2}, {-1, 1, -1, 1});
    LayerCase{.inputs = {floats({2, 2}, {0, 2, -2, 4}), {}, {}, floats({2, 2}, {-1, -1, -1, -1})}, .expected = {y}}
        .expect(over({1}, 1, 0));
    LayerCase{.inputs = {floats({2, 2}, {0, 3, -2, 5}), {}, {}, {}, floats({2}, {-1, -2})}, .expected = {y}}.expect(
        over({1}, 1, 0));
    LayerCase{.inputs = {floats({2, 2}, {0, 2, -2, 4}), {}, {}, {}, floats({}, {-1})}, .expected = {y}}.expect(
        over({1}, 1, 0));
}

TEST(Normalization, computesAnEpilogue) {
    expectFinished(recordedCase("layer.120", {3, 120}, {120}), over({1}));
    expectFinished(recordedCase("layer.7", {3, 7}, {7}), over({1}));
    expectFinished(recordedCase("layer.all", {3, 4, 5}, {3, 4, 5}), over({0, 1, 2}));
    expectFinished(recordedCase("instance", {2, 6, 3, 5}, {6, 1, 1}), over({2, 3}));
    expectFinished(recordedCase("group.wide", {2, 4, 4, 4}, {4, 1, 1}), over({2, 3}, 2));
    expectFinished(inParts(recordedCase("group.3", {2, 6, 3, 5}, {1, 6, 1, 1}), {6, 1, 1}), over({2, 3}, 3));
}

TEST(Normalization, takesOneScaleAGroup) { // x is 1 and -1, so the deviation is 1
    LayerCase{.inputs = {floats({1, 4, 2}, {1, -1, 1, -1, 1, -1, 1, -1}), floats({1, 2, 1}, {2, 3}),
                         floats({1, 2, 1}, {10, 20})},
              .expected = {floats({1, 4, 2}, {12, 8, 12, 8, 23, 17, 23, 17})}}
        .expect(over({2}, 2, 0));
}

TEST(Normalization, normalizesLongGroups) { // of 2 * 96 * 96 elements; in each channel x is 1 as often as -1
    std::vector<float> x;
    std::vector<float> y;
    for (int i = 0; i < 4 * 96 * 96; ++i) {
        auto const channel = static_cast<float>(i / 96 / 96); // and the scale minus one
        float const sign = i % 2 == 0 ? 1 : -1;
        x.push_back(sign + (channel < 2 ? 4 : -4));
        y.push_back(sign * (channel + 1) - channel);
    }
    LayerCase{
        .inputs = {floats({1, 4, 96, 96}, x), floats({4, 1, 1}, {1, 2, 3, 4}), floats({4, 1, 1}, {0, -1, -2, -3})},
        .expected = {floats({1, 4, 96, 96}, y)}}
        .expect(over({2, 3}, 2, 0));
}

/// X [outer, length, inner], of which along the length every second element is `step` greater than the one before; one
/// scale and bias per index.
struct Stripes {
    int64_t outer, length, inner;
    double step = 2;
    double epsilon = 1e-5;

    LayerCase test() const {
        auto const n = static_cast<double>(length);
        double const greater = std::floor(n / 2) / n; // the fraction of those
        double const deviation = std::sqrt(greater * (1 - greater) * step * step + epsilon);
        std::vector<float> x;
        std::vector<float> y;
        for (int64_t i = 0; i < outer * length * inner; ++i) {
            int64_t const at = i / inner % length;
            double const above = step * static_cast<double>(at % 2);
            x.push_back(static_cast<float>(static_cast<double>(i / inner / length % 3 + i % inner % 2) + above));
            y.push_back(static_cast<float>((above - greater * step) / deviation * scaleAt(at) + biasAt(at)));
        }
        std::vector<float> scale;
        std::vector<float> bias;
        for (int64_t i = 0; i < length; ++i) {
            scale.push_back(static_cast<float>(scaleAt(i)));
            bias.push_back(static_cast<float>(biasAt(i)));
        }
        return {.inputs = {floats({outer, length, inner}, x), floats({length, 1}, scale), floats({length, 1}, bias)},
                .expected = {floats({outer, length, inner}, y)}};
    }

private:
    static double scaleAt(int64_t i) { return 0.5 * static_cast<double>(1 + i % 5); }
    static double biasAt(int64_t i) { return 0.25 * static_cast<double>(i % 7 - 3); }
};

TEST(Normalization, takesRowsOfAnyLength) {
    for (int64_t const length : {2, 30, 33, 128, 132, 256, 384, 1000, 1028, 5000, 8192, 8200, 20000, 20003})
        Stripes{2, length, 1}.test().expect(over({1}));
    for (int64_t const length : {33, 128, 1000, 1028, 8192, 20003}) {
        inParts(Stripes{2, length, 1}.test(), {length, 1}).expect(over({1}));
        expectFinished(inParts(Stripes{2, length, 1}.test(), {length, 1}), over({1}));
        expectFinished(Stripes{2, length, 1}.test(), over({1}));
    }
    Stripes{70, 120, 1}.test().expect(over({1}));
    for (auto const& [outer, length] : {std::pair{2, 40960}, {2, 43008}, {3, 43016}, {100, 20480}}) {
        inParts(Stripes{outer, length, 1}.test(), {length, 1}).expect(over({1}));
        expectFinished(inParts(Stripes{outer, length, 1}.test(), {length, 1}), over({1}));
    }
    Stripes{1, 9, 300}.test().expect(over({1}));
}

TEST(Normalization, takesRowsOfAnyLengthApart) {
    for (int64_t const length : {2, 31, 1200}) {
        Stripes{2, length, 3}.test().expect(over({1}));
        Stripes{1, length, 44}.test().expect(over({1}));
        inParts(Stripes{2, length, 44}.test(), {length, 1}).expect(over({1}));
        expectFinished(inParts(Stripes{2, length, 3}.test(), {length, 1}), over({1}));
    }
}

TEST(Normalization, keepsWhatIsSmallBesideTheMean) { // 16384 and 16512, which all types represent: the deviation is 64
    std::vector<float> x;
    std::vector<float> y;
    for (int i = 0; i < 1200; ++i) {
        x.push_back(i % 2 == 0 ? 16384 : 16512);
        y.push_back(i % 2 == 0 ? -1 : 1);
    }
    LayerCase{.inputs = {floats({1, 1200}, x)}, .expected = {floats({1, 1200}, y)}}.expect(over({1}));
    LayerCase{.inputs = {floats({1200, 1}, x)}, .expected = {floats({1200, 1}, y)}}.expect(over({0}));
    LayerCase{.inputs = {floats({300, 4}, x)}, .expected = {floats({300, 4}, y)}}.expect(over({1}));
}

TEST(Normalization, addsEpsilonToTheVariance) { // 1 / sqrt(1 + 3)
    LayerCase{.inputs = {floats({1, 2}, {-1, 1})}, .expected = {floats({1, 2}, {-0.5F, 0.5F})}}.expect(over({1}, 1, 3));
    LayerCase{.inputs = {floats({1, 3}, {7, 7, 7}), {}, floats({3}, {1, 2, 3})},
              .expected = {floats({1, 3}, {1, 2, 3})}}
        .expect(over({1}));
}

TEST(Normalization, takesAScaleOrABiasAlone) {
    Literal const x = floats({2, 2}, {-1, 1, -3, 3});
    LayerCase{.inputs = {x, floats({2}, {2, 3})}, .expected = {floats({2, 2}, {-2, 3, -2, 3})}}.expect(over({1}, 1, 0));
    LayerCase{.inputs = {x, {}, floats({1}, {5})}, .expected = {floats({2, 2}, {4, 6, 4, 6})}}.expect(over({1}, 1, 0));
    LayerCase{.inputs = {x, floats({}, {2}), floats({2}, {1, 0})}, .expected = {floats({2, 2}, {-1, 2, -1, 2})}}.expect(
        over({1}, 1, 0));
}

TEST(Normalization, takesAScaleAPicture) { // as in adaptive normalization: [N,1,D]
    LayerCase{.inputs = {floats({2, 2, 2}, {-1, 1, -3, 3, -1, 1, 5, 7}), floats({2, 1, 2}, {1, 2, 3, 4}),
                         floats({2, 1, 1}, {10, 20})},
              .expected = {floats({2, 2, 2}, {9, 12, 9, 12, 17, 24, 17, 24})}}
        .expect(over({2}, 1, 0));
}

TEST(Normalization, mayLeaveTheMeanOut) { // sqrt((1 + 49) / 2) = 5
    Normalization layer = over({1}, 1, 0);
    layer.centers = false;
    LayerCase{.inputs = {floats({1, 2}, {1, 7}), floats({2}, {5, 10})}, .expected = {floats({1, 2}, {1, 14})}}.expect(
        layer);
    layer.axes = {0};
    LayerCase{.inputs = {floats({2, 2}, {1, 1, 7, 7})}, .expected = {floats({2, 2}, {0.2F, 0.2F, 1.4F, 1.4F})}}.expect(
        layer);
}

TEST(Normalization, normalizesAlongAxesApart) { // of each column of the middle axis: two values, equally often
    LayerCase{.inputs = {floats({2, 2, 2}, {1, 3, 5, 9, 3, 1, 9, 5}), floats({2, 1}, {2, 3})},
              .expected = {floats({2, 2, 2}, {-2, 2, -3, 3, 2, -2, 3, -3})}}
        .expect(over({0, 2}, 1, 0));
}

TEST(Normalization, ofAnEmptyTensorIsEmpty) {
    LayerCase{.inputs = {floats({0, 3}, {})}, .expected = {floats({0, 3}, {})}}.expect(over({1}));
    LayerCase{.inputs = {floats({2, 0}, {})}, .expected = {floats({2, 0}, {})}}.expect(over({1}));
}

std::string refusal(Normalization const& layer, Shape const& x, Shape const& scale = {}) {
    return test::inferError(layer, {{DataType::Float32, x}, {DataType::Float32, scale}});
}

TEST(Normalization, refusesAxesThatItCannotTake) {
    EXPECT_EQ(refusal(over({}), {2, 3}), "node (Normalization): names no axis to normalize along");
    EXPECT_EQ(refusal(over({1, -1}), {2, 3}), "node (Normalization): names axis 1 twice");
    EXPECT_EQ(refusal(over({2}), {2, 3}), "node (Normalization): axis 2 of a tensor of rank 2; expected -2 to 1");
}

TEST(Normalization, refusesGroupsThatDoNotFit) {
    EXPECT_EQ(refusal(over({2}, 0), {2, 6, 3}), "node (Normalization): has 0 groups; expected 1 or more");
    EXPECT_EQ(refusal(over({2}, 4), {2, 6, 3}),
              "node (Normalization): input 0 [2,6,3] has 6 channels, not divisible by 4 groups");
    EXPECT_EQ(refusal(over({1, 2}, 2), {2, 6, 3}), "node (Normalization): normalizes 2 groups of channels along other "
                                                   "axes than all after the channels (2 and on)");
    EXPECT_EQ(refusal(over({0}, 2), {6}),
              "node (Normalization): input 0 has shape [6], of rank 1; groups of channels expect rank 2 to 7");
}

TEST(Normalization, refusesAScaleThatDoesNotBroadcast) {
    EXPECT_EQ(refusal(over({1}), {2, 3}, {4}),
              "node (Normalization): the scale has shape [4], which does not broadcast to [2,3] of input 0");
    EXPECT_EQ(refusal(over({2}, 2), {2, 6, 3}, {1, 3, 1}),
              "node (Normalization): the scale has shape [1,3,1], which does not broadcast to [2,6,3] of input 0 and "
              "does not have one element for each of 2 groups");
    EXPECT_EQ(test::inferError(over({1}), {{DataType::Float32, {2, 3}}, {DataType::Float16, {3}}}),
              "node (Normalization): input 0 is float32 and the scale is float16; expected one type (add a cast)");
}

TEST(Normalization, refusesASkipOfAnotherShape) {
    EXPECT_EQ(test::inferError(over({1}), {{DataType::Float32, {2, 3}},
                                           {DataType::Float32, {3}},
                                           {DataType::Float32, {3}},
                                           {DataType::Float32, {2, 1}}}),
              "node (Normalization): the skip has shape [2,1]; expected [2,3] of input 0");
    EXPECT_EQ(test::inferError(over({1}), {{DataType::Float32, {2, 3}},
                                           {DataType::Float32, {3}},
                                           {DataType::Float32, {3}},
                                           {DataType::Float32, {2, 3}},
                                           {DataType::Float32, {2}}}),
              "node (Normalization): the shift has shape [2], which does not broadcast to [2,3] of input 0");
}

TEST(NormalizationOnnx, readsChannelsOfUnknownExtent) {
    OneOp const test{.op = "InstanceNormalization",
                     .inputs = {floats({1, 2, 3}, {1, 2, 3, 1, 2, 3}), floats({2}, {1, 1}), floats({2}, {0, 0})},
                     .symbolic = true};
    EXPECT_EQ(test.shapes(), "[N,C,H]");
}

TEST(NormalizationOnnx, refusesStatisticsInAnotherType) {
    OneOp const test{.op = "LayerNormalization",
                     .opset = 17,
                     .attributes = {{"stash_type", int64_t{10}}},
                     .inputs = {floats({1, 2}, {1, 2}), floats({2}, {1, 1})},
                     .outputs = 3};
    EXPECT_EQ(test.error(),
              "node (LayerNormalization, opset 17, node 0): gives Mean and InvStdDev in type 10; expected 1 (float32)");
}

TEST(NormalizationOnnx, refusesAScaleThatIsNoVector) {
    OneOp const test{.op = "InstanceNormalization",
                     .inputs = {floats({1, 2, 3}, {1, 2, 3, 1, 2, 3}), floats({2, 1}, {1, 1}), floats({2}, {0, 0})}};
    EXPECT_EQ(test.error(),
              "node (InstanceNormalization, opset 13, node 0): input 1 'x1' has shape [2,1]; expected rank 1");
}

TEST(NormalizationOnnx, refusesAnInputWithoutSpatialAxes) {
    OneOp const test{.op = "InstanceNormalization",
                     .inputs = {floats({1, 2}, {1, 2}), floats({2}, {1, 1}), floats({2}, {0, 0})}};
    EXPECT_EQ(test.error(), "node (InstanceNormalization, opset 13, node 0): input 0 'x0' has shape [1,2]; expected "
                            "[N,C,…] of rank 3 at least");
}

} // namespace
} // namespace tenon
