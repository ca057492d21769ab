// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using enum PointwiseOp;

Activation activation(PointwiseOp op, double alpha = 0, double beta = 0) {
    Activation layer;
    layer.operation = op;
    layer.alpha = alpha;
    layer.beta = beta;
    return layer;
}

struct Row {
    Activation layer;
    std::vector<float> expected;
};

// numpy, in float64, for [-6, -2.5, -1, -0.25, 0, 0.25, 1, 2.5, 6]
std::vector<Row> const kRows = {
    {activation(Relu), {0, 0, 0, 0, 0, 0.25F, 1, 2.5F, 6}},
    {activation(Sigmoid),
     {0.0024726232F, 0.07585818F, 0.26894142F, 0.4378235F, 0.5F, 0.5621765F, 0.73105858F, 0.92414182F, 0.99752738F}},
    {activation(Tanh),
     {-0.99998771F, -0.9866143F, -0.76159416F, -0.24491866F, 0, 0.24491866F, 0.76159416F, 0.9866143F, 0.99998771F}},
    {activation(LeakyRelu, 0.1), {-0.6F, -0.25F, -0.1F, -0.025F, 0, 0.25F, 1, 2.5F, 6}},
    {activation(Elu, 1.5), {-1.4962819F, -1.3768725F, -0.94818084F, -0.33179883F, 0, 0.25F, 1, 2.5F, 6}},
    {activation(Selu, 1.5, 2), {-2.9925637F, -2.753745F, -1.8963617F, -0.66359765F, 0, 0.5F, 2, 5, 12}},
    {activation(Softsign), {-0.85714286F, -0.71428571F, -0.5F, -0.2F, 0, 0.2F, 0.5F, 0.71428571F, 0.85714286F}},
    {activation(Softplus, 2, 0.5),
     {0.097174703F, 0.50385816F, 0.94815397F, 1.2651981F, 1.3862944F, 1.5151981F, 1.948154F, 3.0038582F, 6.0971747F}},
    {activation(Clip, -1, 2), {-1, -1, -1, -0.25F, 0, 0.25F, 1, 2, 2}},
    {activation(HardSigmoid, 0.25, 0.5), {0, 0, 0.25F, 0.4375F, 0.5F, 0.5625F, 0.75F, 1, 1}},
    {activation(ScaledTanh, 1.5, 0.5),
     {-1.4925821F, -1.2724255F, -0.69317574F, -0.1865295F, 0, 0.1865295F, 0.69317574F, 1.2724255F, 1.4925821F}},
    {activation(ThresholdedRelu, 0.5), {0, 0, 0, 0, 0, 0, 1, 2.5F, 6}},
    {activation(GeluErf),
     {-5.9195259e-09F, -0.015524163F, -0.15865525F, -0.10032342F, 0, 0.14967658F, 0.84134475F, 2.4844758F, 6}},
    {activation(GeluTanh),
     {-8.439649e-11F, -0.015084266F, -0.15880801F, -0.10032465F, 0, 0.14967535F, 0.84119199F, 2.4849157F, 6}},
    {activation(Celu, 2), {-1.9004259F, -1.4269904F, -0.78693868F, -0.23500619F, 0, 0.25F, 1, 2.5F, 6}},
    {activation(Mish),
     {-0.01485408F, -0.1968162F, -0.30340146F, -0.12992696F, 0, 0.16957241F, 0.86509839F, 2.4713923F, 5.9999266F}},
    {activation(HardSwish), {0, -0.20833333F, -0.33333333F, -0.11458333F, 0, 0.13541667F, 0.66666667F, 2.2916667F, 6}},
    {activation(Swish, 1.5),
     {-0.00074036746F, -0.057443425F, -0.18242552F, -0.10183335F, 0, 0.14816665F, 0.81757448F, 2.4425566F, 5.9992596F}},
};

TEST(Activation, computesEachFunction) {
    for (auto const& [layer, expected] : kRows) {
        SCOPED_TRACE(text(layer.operation));
        LayerCase{.inputs = {floats({1, 3, 3}, {-6, -2.5F, -1, -0.25F, 0, 0.25F, 1, 2.5F, 6})},
                  .expected = {floats({1, 3, 3}, expected)},
                  .tolerance = 1e-6}
            .expect(layer);
    }
}

TEST(Activation, ofRangesThatAreOpenAtBothEnds) { // the limits of the functions
    float const infinity = INFINITY;
    auto const x = floats({2}, {-infinity, infinity});
    auto const expect = [&](Activation const& layer, float low, float high) {
        SCOPED_TRACE(text(layer.operation));
        LayerCase{.inputs = {x}, .expected = {floats({2}, {low, high})}}.expect(layer);
    };
    expect(activation(Relu), 0, infinity);
    expect(activation(Sigmoid), 0, 1);
    expect(activation(Tanh), -1, 1);
    expect(activation(Elu, 1), -1, infinity);
    expect(activation(Softplus, 1, 1), 0, infinity);
    expect(activation(HardSigmoid, 0.2, 0.5), 0, 1);
    for (PointwiseOp const gate : {GeluErf, GeluTanh, Mish, HardSwish}) expect(activation(gate), NAN, infinity);
    expect(activation(Swish, 1), NAN, infinity); // -infinity times 0, as in ONNX Runtime
}

TEST(Activation, keepsWhatIsNotANumber) {
    for (auto const& [layer, expected] : kRows) {
        SCOPED_TRACE(text(layer.operation));
        LayerCase{.inputs = {floats({2}, {NAN, 0})}, .expected = {floats({2}, {NAN, expected[4]})}, .tolerance = 1e-6}
            .expect(layer);
    }
}

TEST(Activation, clipsIntegers) {
    LayerCase{.inputs = {test::ints({4}, {-5, -1, 3, 9})}, .expected = {test::ints({4}, {-1, -1, 3, 6})}}.expect(
        activation(Clip, -1, 6));
    LayerCase{.inputs = {Literal::of<int32_t>({2}, {-5, 5})}, .expected = {Literal::of<int32_t>({2}, {0, 5})}}.expect(
        activation(Relu));
}

TEST(Activation, takesFloat16AndBFloat16) { // 0.5 and 2 are exact in both
    LayerCase{.inputs = {Literal::of<Half>({2}, {-2, 2})}, .expected = {Literal::of<Half>({2}, {0, 2})}}.expect(
        activation(Relu));
    LayerCase{.inputs = {Literal::of<BFloat16>({2}, {-2, 2})}, .expected = {Literal::of<BFloat16>({2}, {-0.5F, 2})}}
        .expect(activation(LeakyRelu, 0.25));
}

TEST(Activation, refusesWhatIntegersHaveNot) {
    EXPECT_EQ(test::inferError(activation(Sigmoid), {{DataType::Int32, {2}}}),
              "node (Activation): input 0 is int32; expected float32, float16 or bfloat16");
}

TEST(Activation, refusesOtherOperations) {
    EXPECT_EQ(test::inferError(activation(Sum), {{DataType::Float32, {2}}}),
              "node (Activation): Sum is not an activation");
}

} // namespace
} // namespace tenon
