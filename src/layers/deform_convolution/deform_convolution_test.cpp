// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_convolution/deform_convolution.h"

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/recorded.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::Input;
using test::LayerCase;
using test::OneOp;
using test::spread;

// by hand: one filter element, at two positions: half a row down; a row and a half up, which is half outside
TEST(DeformConvolution, interpolatesWhatIsMet) {
    Literal const x = floats({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
    Literal const each = floats({2, 2, 1, 1}, {1, 0, 0, 1}); // filters that return the elements they read
    Literal const moves = floats({1, 2, 2, 2}, {0.5F, 0, -1.5F, 0, 0, 0, 0, 0.5F});
    LayerCase const layerCase{.inputs = {x, each, moves},
                              .expected = {floats({1, 2, 2, 2}, {2, 2, 0.5F * 1, 2, 20, 20, 5, 20})}};
    layerCase.expect(DeformConvolution());
    layerCase.in(DataType::Float16).expect(DeformConvolution());
    Literal const factors = floats({1, 1, 2, 2}, {1, 0, 2, -1});
    LayerCase{.inputs = {x, each, moves, Literal(), factors},
              .expected = {floats({1, 2, 2, 2}, {2, 0, 1, -2, 20, 0, 10, -20})}}
        .expect(DeformConvolution());
    LayerCase{.inputs = {x, each, moves, floats({2}, {1, -1}), factors},
              .expected = {floats({1, 2, 2, 2}, {3, 1, 2, -1, 19, -1, 9, -21})}}
        .expect(DeformConvolution());
}

TEST(DeformConvolution, movesPartsOfTheChannelsByThemselves) { // the second part by one to the right
    DeformConvolution layer;
    layer.parts = 2;
    layer.groups = 2;
    Literal const x = floats({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
    Literal const w = floats({2, 1, 1, 2}, {1, 10, 1, 10});
    Literal const moves = floats({1, 8, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1});
    LayerCase{.inputs = {x, w, moves}, .expected = {floats({1, 2, 1, 2}, {21, 32, 65, 6})}}.expect(layer);
}

/// A channel of [height,width] at a point: bilinear between its elements, 0 outside.
double between(std::span<float const> channel, int64_t height, int64_t width, double y, double x) {
    double sum = 0;
    for (double const row : {std::floor(y), std::floor(y) + 1}) {
        for (double const column : {std::floor(x), std::floor(x) + 1}) {
            bool const isInside =
                row >= 0 && column >= 0 && row < static_cast<double>(height) && column < static_cast<double>(width);
            if (!isInside) continue;
            auto const i = static_cast<size_t>(row) * static_cast<size_t>(width) + static_cast<size_t>(column);
            sum += (1 - std::abs(y - row)) * (1 - std::abs(x - column)) * channel[i];
        }
    }
    return sum;
}

/// ONNX's formula in double precision, for filters of 3 x 3 with a padding of 1, of one group and one part.
Literal byFormula(std::vector<Literal> const& in) {
    Dims const& dims = in[DeformConvolution::kX].dims();
    int64_t const places = dims[2] * dims[3];
    int64_t const filters = in[DeformConvolution::kWeights].dims()[0];
    auto const numbers = [&](int input, int64_t i) {
        return in[static_cast<size_t>(input)].as<float>()[static_cast<size_t>(i)];
    };
    std::vector<double> sums;
    for (int64_t i = 0; i < dims[0] * filters * places; ++i)
        sums.push_back(numbers(DeformConvolution::kBias, i / places % filters));
    for (int64_t i = 0; i < dims[0] * 9 * places; ++i) {
        int64_t const item = i / places / 9;
        int64_t const element = i / places % 9;
        int64_t const place = i % places;
        int64_t const move = (item * 18 + 2 * element) * places + place;
        float const y =
            static_cast<float>(place / dims[3] - 1 + element / 3) + numbers(DeformConvolution::kMoves, move);
        float const x =
            static_cast<float>(place % dims[3] - 1 + element % 3) + numbers(DeformConvolution::kMoves, move + places);
        for (int64_t c = 0; c < dims[1]; ++c) {
            auto const channel = in[0].as<float>().subspan(static_cast<size_t>((item * dims[1] + c) * places));
            double const met = numbers(DeformConvolution::kFactors, i) * between(channel, dims[2], dims[3], y, x);
            for (int64_t k = 0; k < filters; ++k)
                sums[static_cast<size_t>((item * filters + k) * places + place)] +=
                    met * numbers(DeformConvolution::kWeights, (k * dims[1] + c) * 9 + element);
        }
    }
    return floats({dims[0], filters, dims[2], dims[3]}, {sums.begin(), sums.end()});
}

// positions that do not fill strips of four rows and vectors of eight; two blocks of filters, and one of 256
TEST(DeformConvolution, multipliesManyChannels) {
    DeformConvolution layer;
    layer.pads = {1, 1, 1, 1};
    for (int64_t const filters : {128, 256}) {
        LayerCase layerCase{.inputs = {spread({2, 64, 7, 13}, -1, 1), spread({filters, 64, 3, 3}, -0.1F, 0.1F),
                                       spread({2, 18, 7, 13}, -2.5F, 2.5F), spread({filters}, -1, 1),
                                       spread({2, 9, 7, 13}, 0, 2)},
                            .expected = {},
                            .constants = 0b10};
        layerCase.expected = {byFormula(layerCase.inputs)};
        layerCase.expect(layer);
    }
}

/// Expects the results of ONNX Runtime for the inputs of record_deform_convolution.py.
void expectRecorded(std::string const& name, OneOp op) {
    op.opset = 22;
    Literal const expected = test::recorded("src/layers/deform_convolution/deform_convolution_test.txt", name);
    for (uint32_t const constants : {0U, 0b1010U}) { // filters and bias as inputs, and as constants
        op.constants = constants;
        auto const found = op.run();
        ASSERT_EQ(found.size(), 1U);
        test::expectClose(found[0], expected, 1e-5, name);
    }
}

TEST(DeformConvolution, isDeformConvOfOnnx) {
    expectRecorded("plain", {.op = "DeformConv",
                             .inputs = {spread({1, 2, 5, 6}, -1, 1), spread({3, 2, 2, 3}, -0.5F, 0.5F),
                                        spread({1, 12, 4, 4}, -1.7F, 1.7F)}});
    using Integers = std::vector<int64_t>;
    expectRecorded("factors",
                   {.op = "DeformConv",
                    .attributes = {{"group", int64_t{2}},
                                   {"offset_group", int64_t{2}},
                                   {"strides", Integers{2, 1}},
                                   {"dilations", Integers{1, 2}},
                                   {"pads", Integers{1, 0, 1, 1}}},
                    .inputs = {spread({2, 4, 5, 6}, -1, 1), spread({6, 2, 3, 2}, -0.5F, 0.5F),
                               spread({2, 24, 3, 5}, -1.7F, 1.7F), spread({6}, -1, 1), spread({2, 12, 3, 5}, 0, 1)}});
}

std::string errorFor(Shape const& moves, DeformConvolution const& layer = {}) {
    return inferError(
        layer, {{DataType::Float32, {1, 4, 5, 6}}, {DataType::Float32, {3, 4, 1, 1}}, {DataType::Float32, moves}});
}

TEST(DeformConvolution, refusesWhatDoesNotFit) {
    std::string const node = "node (DeformConvolution): ";
    EXPECT_EQ(errorFor({1, 2, 5, 5}), node + "offset has shape [1,2,5,5]; expected [1,2,5,6]");
    std::vector<Input> inputs{{DataType::Float32, {1, 4, 5, 6}},
                              {DataType::Float32, {3, 4, 1, 1}},
                              {DataType::Float32, {1, 2, 5, 6}},
                              {DataType::Float32, {4}},
                              {DataType::Float32, {1, 2, 5, 6}}};
    EXPECT_EQ(inferError(DeformConvolution(), inputs), node + "bias has shape [4]; expected [3]");
    inputs[DeformConvolution::kBias].shape = {3};
    EXPECT_EQ(inferError(DeformConvolution(), inputs), node + "mask has shape [1,2,5,6]; expected [1,1,5,6]");
    inputs[DeformConvolution::kWeights].shape = {3, 4, 0, 1};
    EXPECT_EQ(inferError(DeformConvolution(), inputs), node + "W [3,4,0,1] has filters without elements");
    DeformConvolution layer;
    layer.parts = 3;
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer),
              node + "X [1,4,5,6] has 4 channels; expected a multiple of 3 parts with offsets");
    layer.parts = 0;
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer),
              node + "there are 0 parts and 1 groups of the channels; expected at least 1");
    layer.strides = {0, 1};
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer), node + "one of the strides is 0; expected at least 1");
    layer.strides = {1};
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer), node + "there are 1 strides; expected 2");
}

TEST(DeformConvolution, refusesFiltersThatDoNotFit) {
    OneOp op{.op = "DeformConv",
             .opset = 22,
             .attributes = {{"group", int64_t{2}}},
             .inputs = {spread({1, 2, 3, 3}, -1, 1), spread({3, 1, 1, 1}, -1, 1), spread({1, 2, 3, 3}, -1, 1)}};
    EXPECT_NE(op.error().find("W [3,1,1,1] has 3 filters for 2 groups; expected a multiple"), std::string::npos);
    op.attributes = {};
    EXPECT_NE(op.error().find("W [3,1,1,1] has 1 channels in each of 1 groups, X [1,2,3,3] has 2"), std::string::npos);
    op.attributes = {{"kernel_shape", std::vector<int64_t>{2, 2}}};
    EXPECT_NE(op.error().find("kernel_shape is ["), std::string::npos);
}

} // namespace
} // namespace tenon
