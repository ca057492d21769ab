// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/integer_convolution/integer_convolution.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::inferError;
using test::LayerCase;

// written out: the sum of (x - zero point) * (w - zero point) under each window
TEST(IntegerConvolution, sumsUnderAWindow) {
    LayerCase{.inputs = {Literal::of<uint8_t>({1, 1, 2, 3}, {1, 2, 3, 4, 5, 255}),
                         Literal::of<int8_t>({1, 1, 1, 2}, {1, -128}), Literal::of<uint8_t>({}, {1})},
              .expected = {Literal::of<int32_t>({1, 1, 2, 2}, {-128, 1 - 256, 3 - 512, 4 - 254 * 128})}}
        .expect(IntegerConvolution{});
}

TEST(IntegerConvolution, addsNothingInThePadding) {
    IntegerConvolution layer;
    layer.window.prePadding = {1};
    layer.window.postPadding = {2};
    layer.window.stride = {2};
    LayerCase{.inputs = {Literal::of<uint8_t>({1, 1, 3}, {10, 20, 30}), Literal::of<uint8_t>({1, 1, 2}, {3, 4}),
                         Literal::of<uint8_t>({1}, {10}), Literal::of<uint8_t>({1}, {1})},
              .expected = {Literal::of<int32_t>({1, 1, 3}, {0, 10 * 2 + 20 * 3, 0})}}
        .expect(layer);
}

TEST(IntegerConvolution, hasGroupsDilationAndZeroPointsOfKernels) {
    IntegerConvolution layer;
    layer.groups = 2;
    layer.window.dilation = {2};
    LayerCase{.inputs = {Literal::of<int8_t>({2, 2, 3}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}),
                         Literal::of<int8_t>({2, 1, 2}, {1, 2, 3, 4}), Literal(), Literal::of<int8_t>({2}, {0, 1})},
              .expected = {Literal::of<int32_t>({2, 2, 1}, {1 + 6, 8 + 18, -7, -26})}}
        .expect(layer);
}

TEST(IntegerConvolution, isExactWhereFloatsAreNot) {
    constexpr int64_t kChannels = 1000; // 65025000 = 255 * 255 * 1000, and 1
    std::vector<uint8_t> x(kChannels + 1, 255);
    std::vector<uint8_t> w(kChannels + 1, 255);
    x.back() = w.back() = 1;
    LayerCase{
        .inputs = {Literal::of<uint8_t>({1, kChannels + 1, 1}, x), Literal::of<uint8_t>({1, kChannels + 1, 1}, w)},
        .expected = {Literal::of<int32_t>({1, 1, 1}, {65025001})},
        .tolerance = 0}
        .expect(IntegerConvolution{});
}

TEST(IntegerConvolution, saysWhatDoesNotFit) {
    constexpr DataType kByte = DataType::UInt8;
    EXPECT_EQ(inferError(IntegerConvolution{}, {{DataType::Float32, {1, 2, 3}}, {kByte, {1, 2, 1}}}),
              "node (IntegerConvolution): input 0 is float32; expected int8 or uint8");
    EXPECT_EQ(inferError(IntegerConvolution{}, {{kByte, {1, 2, 3}}, {kByte, {1, 3, 1}}}),
              "node (IntegerConvolution): weights [1,3,1] have 3 input channels in 1 group, input 0 [1,2,3] has 2");
    EXPECT_EQ(
        inferError(IntegerConvolution{}, {{kByte, {1, 2, 3}}, {kByte, {4, 2, 1}}, {kByte, {}}, {kByte, {3}}}),
        "node (IntegerConvolution): input 3, the zero point of the weights, has 3 elements for 4 output channels");
    EXPECT_EQ(inferError(IntegerConvolution{}, {{kByte, {1, 2, 3}}, {kByte, {4, 2, 1}}, {kByte, {2}}}),
              "node (IntegerConvolution): input 2, the zero point of X, has 2 elements; expected one");
    IntegerConvolution grouped;
    grouped.groups = 2;
    EXPECT_EQ(inferError(grouped, {{kByte, {1, 2, 3}}, {kByte, {3, 1, 1}}}),
              "node (IntegerConvolution): has 2 groups for weights [3,1,1]; expected a divisor of the 3 "
              "output channels");
}

} // namespace
} // namespace tenon
