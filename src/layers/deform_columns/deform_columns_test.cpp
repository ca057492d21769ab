// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_columns/deform_columns.h"

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/recorded.h"

namespace tenon {
namespace {

using test::floats;
using test::inferError;
using test::LayerCase;
using test::OneOp;
using test::spread;

// by hand: one element of the filters, at two places: half a row down; a row and a half up, which is outside by half
TEST(DeformColumns, interpolatesWhatIsMet) {
    Literal const x = floats({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
    Literal const moves = floats({1, 2, 2, 2}, {0.5F, 0, -1.5F, 0, 0, 0, 0, 0.5F});
    LayerCase const layerCase{.inputs = {x, moves},
                              .expected = {floats({1, 1, 2, 4}, {2, 2, 0.5F * 1, 2, 20, 20, 5, 20})}};
    layerCase.expect(DeformColumns());
    layerCase.in(DataType::Float16).expect(DeformColumns());
    LayerCase{.inputs = {x, moves, floats({1, 1, 2, 2}, {1, 0, 2, -1})},
              .expected = {floats({1, 1, 2, 4}, {2, 0, 1, -2, 20, 0, 10, -20})}}
        .expect(DeformColumns());
}

TEST(DeformColumns, movesPartsOfTheChannelsByThemselves) { // the second part by one to the right
    DeformColumns layer;
    layer.parts = 2;
    layer.groups = 2;
    layer.kernel = {1, 2};
    Literal const x = floats({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
    Literal const moves = floats({1, 8, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1});
    LayerCase{.inputs = {x, moves}, .expected = {floats({1, 2, 2, 2}, {1, 2, 2, 3, 5, 6, 6, 0})}}.expect(layer);
}

/// What ONNX Runtime computes for the inputs of record_deform_columns.py.
void expectRecorded(std::string const& name, OneOp op) {
    op.opset = 22;
    Literal const expected = test::recorded("src/layers/deform_columns/deform_columns_test.txt", name);
    for (uint32_t const constants : {0U, 0b1010U}) { // filters and bias fed, and of the network
        op.constants = constants;
        auto const found = op.run();
        ASSERT_EQ(found.size(), 1U);
        test::expectClose(found[0], expected, 1e-5, name);
    }
}

TEST(DeformColumns, makeADeformConvOfOnnx) {
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

std::string errorFor(Shape const& moves, DeformColumns const& layer = {}) {
    return inferError(layer, {{DataType::Float32, {1, 4, 5, 6}}, {DataType::Float32, moves}});
}

TEST(DeformColumns, refusesWhatDoesNotFit) {
    EXPECT_EQ(errorFor({1, 2, 5, 5}), "node (DeformColumns): offset has shape [1,2,5,5]; expected [1,2,5,6]");
    EXPECT_EQ(inferError(DeformColumns(), {{DataType::Float32, {1, 4, 5, 6}},
                                           {DataType::Float32, {1, 2, 5, 6}},
                                           {DataType::Float32, {1, 2, 5, 6}}}),
              "node (DeformColumns): mask has shape [1,2,5,6]; expected [1,1,5,6]");
    DeformColumns layer;
    layer.parts = 3;
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer), "node (DeformColumns): X [1,4,5,6] has 4 channels, which are no multiple "
                                             "of 3 parts with offsets and of 1 groups");
    layer.parts = 0;
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer),
              "node (DeformColumns): there are 0 parts and 1 groups of the channels; expected at least 1");
    layer.strides = {0, 1};
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer), "node (DeformColumns): one of the strides is 0; expected at least 1");
    layer.strides = {1};
    EXPECT_EQ(errorFor({1, 6, 5, 6}, layer), "node (DeformColumns): there are 1 strides; expected 2");
}

TEST(DeformColumns, refusesFiltersThatDoNotFit) {
    OneOp op{.op = "DeformConv",
             .opset = 22,
             .attributes = {{"group", int64_t{2}}},
             .inputs = {spread({1, 2, 3, 3}, -1, 1), spread({3, 1, 1, 1}, -1, 1), spread({1, 2, 3, 3}, -1, 1)}};
    EXPECT_NE(op.error().find("W [3,1,1,1] has 3 filters for 2 groups; expected a multiple"), std::string::npos);
    op.attributes = {{"kernel_shape", std::vector<int64_t>{2, 2}}};
    EXPECT_NE(op.error().find("kernel_shape is not that of W [3,1,1,1]"), std::string::npos);
}

} // namespace
} // namespace tenon
