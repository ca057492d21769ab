// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::OneOp;
using Integers = std::vector<int64_t>;

Literal counted() { return floats({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}); }

TEST(SliceOnnx, readsBoundsFromAttributesBeforeOpset10) { // numpy: x[0:2, 1:-1] and x[1:]
    OneOp op{.op = "Slice",
             .opset = 9,
             .attributes = {{"starts", Integers{0, 1}}, {"ends", Integers{2, -1}}},
             .inputs = {counted()}};
    EXPECT_EQ(op.run(), std::vector{floats({2, 2}, {1, 2, 5, 6})});
    op.attributes = {{"starts", Integers{1}}, {"ends", Integers{100}}, {"axes", Integers{0}}};
    EXPECT_EQ(op.run(), std::vector{floats({2, 4}, {4, 5, 6, 7, 8, 9, 10, 11})});
    EXPECT_EQ((OneOp{.op = "Slice",
                     .opset = 9,
                     .attributes = {{"starts", Integers{1}}, {"ends", Integers{INT32_MAX}}},
                     .inputs = {counted()},
                     .symbolic = true}
                   .shapes()),
              "[((N-(N min 1)) max 0),C]");
}

TEST(SliceOnnx, slicesTheFirstAxesWithoutAList) { // numpy: x[1:3]
    OneOp const op{.op = "Slice", .inputs = {counted(), ints({1}, {1}), ints({1}, {3})}};
    EXPECT_EQ(op.run(), std::vector{floats({2, 4}, {4, 5, 6, 7, 8, 9, 10, 11})});
}

TEST(SplitOnnx, readsLengthsFromAnAttributeBeforeOpset13) {
    OneOp const op{.op = "Split",
                   .opset = 11,
                   .attributes = {{"axis", int64_t{1}}, {"split", Integers{1, 3}}},
                   .inputs = {counted()},
                   .outputs = 2};
    EXPECT_EQ(op.run(), (std::vector{floats({3, 1}, {0, 4, 8}), floats({3, 3}, {1, 2, 3, 5, 6, 7, 9, 10, 11})}));
}

TEST(SplitOnnx, dividesEvenlyWithoutLengths) { // the last part may be shorter (since opset 18)
    OneOp op{
        .op = "Split", .opset = 18, .attributes = {{"num_outputs", int64_t{2}}}, .inputs = {counted()}, .outputs = 2};
    EXPECT_EQ(op.run(), (std::vector{floats({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), floats({1, 4}, {8, 9, 10, 11})}));
    op.symbolic = true;
    EXPECT_EQ(op.shapes(), "[(N/^2),C] [((N/^2) min (N-(N min (N/^2)))),C]");
}

TEST(SplitOnnx, refusesLengthsThatDoNotFit) {
    OneOp op{.op = "Split", .inputs = {counted(), ints({2}, {1, 3})}, .constants = 2, .outputs = 2};
    EXPECT_NE(op.error().find("splits axis 0 of extent 3 into parts of 4 in all"), std::string::npos) << op.error();
    op.inputs[1] = ints({2}, {-1, 4});
    EXPECT_NE(op.error().find("into parts of lengths -1, 4, of which -1 is invalid"), std::string::npos) << op.error();
    op.inputs[1] = ints({2}, {INT64_MAX, INT64_MAX});
    EXPECT_NE(op.error().find(", of which 9223372036854775807 is invalid"), std::string::npos) << op.error();
    op.inputs[1] = ints({2}, {1, 2});
    op.outputs = 3;
    EXPECT_NE(op.error().find("splits into 2 parts and has 3 outputs"), std::string::npos) << op.error();
}

TEST(SplitOnnx, takesLengthsThatOnlyTheRunKnows) { // numpy: np.split(x, [1, 1], 1)
    OneOp op{.op = "Split",
             .opset = 18,
             .attributes = {{"axis", int64_t{-1}}},
             .inputs = {counted(), ints({3}, {1, 0, 3})},
             .outputs = 3};
    EXPECT_EQ(op.runInEngine(), (std::vector{floats({3, 1}, {0, 4, 8}), floats({3, 0}, {}),
                                             floats({3, 3}, {1, 2, 3, 5, 6, 7, 9, 10, 11})}));
    auto const error = [&](std::vector<int64_t> const& lengths) {
        op.inputs[1] = ints({3}, lengths);
        return test::errorOf([&] { op.runInEngine(); });
    };
    EXPECT_EQ(error({1, 1, 1}), "node_4 (Assertion): does not hold: the lengths of its parts add up to the extent of "
                                "axis 1; give lengths that do");
    EXPECT_EQ(error({3, 3, 3}), "node_9 (Slice): takes elements 3 to 5 of axis 1, which has extent 4; use bounds "
                                "within it, or a mode other than StrictBounds");
    EXPECT_EQ(error({2, -1, 3}), "node_9 (Slice): bounds=Size gives an extent of -1; it cannot be negative");
    op.outputs = 2;
    EXPECT_EQ(op.error(),
              "node (Split, opset 18, node 0): the lengths, input 1 'x1', have shape [3]; expected [2], one "
              "for each output");
}

TEST(PadOnnx, readsPadsFromAttributesBeforeOpset11) { // numpy: np.pad(x, ((0, 0), (1, 0)), constant_values=7)
    OneOp op{.op = "Pad",
             .opset = 2,
             .attributes = {{"pads", Integers{0, 1, 0, 0}}, {"value", 7.0F}},
             .inputs = {floats({2, 1}, {1, 2})}};
    EXPECT_EQ(op.run(), std::vector{floats({2, 2}, {7, 1, 7, 2})});
    op.attributes = {{"paddings", Integers{1, 0, 0, 0}}};
    op.opset = 1;
    EXPECT_EQ(op.run(), std::vector{floats({3, 1}, {0, 1, 2})});
}

TEST(PadOnnx, takesPadsThatRunTimeTells) {
    OneOp op{.op = "Pad",
             .opset = 19,
             .attributes = {{"mode", "wrap"}},
             .inputs = {floats({3}, {1, 2, 3}), ints({2}, {1, 2})}};
    EXPECT_EQ(op.run(), std::vector{floats({6}, {3, 1, 2, 3, 1, 2})});
}

TEST(PadOnnx, refusesPadsThatDoNotFit) {
    OneOp op{.op = "Pad", .opset = 2, .attributes = {{"pads", Integers{0, 1}}}, .inputs = {counted()}};
    EXPECT_NE(op.error().find("pads has 2 elements; expected 4"), std::string::npos) << op.error();
    op.attributes = {{"pads", Integers{0, 1, 0, 0}}, {"mode", "mirror"}};
    EXPECT_NE(op.error().find("mode is \"mirror\"; expected constant, reflect, edge or wrap"), std::string::npos)
        << op.error();
}

TEST(SliceOnnx, refusesMoreBoundsThanAxes) { // as many as a shape tensor defines, without allocating the list
    Literal const five = ints({5}, {0, 0, 0, 0, 0});
    OneOp const op{.op = "Slice", .opset = 13, .inputs = {counted(), five, five}, .constants = 6};
    EXPECT_NE(op.error().find("starts [5] has more elements than input 0 [3,4] has axes"), std::string::npos)
        << op.error();
}

TEST(TileOnnx, repeatsOneAxisBeforeOpset6) { // numpy: np.tile([[1, 2]], (1, 2))
    OneOp const op{.op = "Tile",
                   .opset = 1,
                   .inputs = {floats({1, 2}, {1, 2}), floats({1}, {2}), floats({1}, {1})},
                   .constants = 6};
    EXPECT_EQ(op.run(), std::vector{floats({1, 4}, {1, 2, 1, 2})});
}

} // namespace
} // namespace tenon
