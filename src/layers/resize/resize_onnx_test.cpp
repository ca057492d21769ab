// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::OneOp;

Literal image() { return floats({1, 1, 2, 2}, {1, 2, 3, 4}); }

/// numpy: np.repeat(np.repeat(x, 2, 2), 2, 3)
std::vector<Literal> doubled() { return {floats({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})}; }

TEST(UpsampleOnnx, readsScalesAtAnyOpset) {
    EXPECT_EQ((OneOp{.op = "Upsample",
                     .opset = 1,
                     .attributes = {{"height_scale", 2.0F}, {"width_scale", 2.0F}},
                     .inputs = {image()}}
                   .run()),
              doubled());
    EXPECT_EQ((OneOp{.op = "Upsample",
                     .opset = 7,
                     .attributes = {{"scales", std::vector<float>{1, 1, 2, 2}}},
                     .inputs = {image()}}
                   .run()),
              doubled());
    EXPECT_EQ(
        (OneOp{.op = "Upsample", .opset = 9, .inputs = {image(), floats({4}, {1, 1, 2, 2})}, .constants = 2}.run()),
        doubled());
}

TEST(ResizeOnnx, isUpsampleInOpset10) {
    OneOp const op{.op = "Resize", .opset = 10, .inputs = {image(), floats({4}, {1, 1, 2, 2})}, .constants = 2};
    EXPECT_EQ(op.run(), doubled());
}

// The first is ONNX's own test of opset 10, test_resize_downsample_nearest; the others are ONNX Runtime's. An axis that
// shrinks takes the element above, one that grows the element below.
TEST(ResizeOnnx, takesTheElementAboveWhereItShrinksInOpset10) {
    OneOp op{.op = "Resize",
             .opset = 10,
             .inputs = {floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({4}, {1, 1, 0.6F, 0.6F})},
             .constants = 2};
    EXPECT_EQ(op.run(), std::vector{floats({1, 1, 1, 2}, {1, 3})});
    EXPECT_EQ(op.runInEngine(), std::vector{floats({1, 1, 1, 2}, {1, 3})});
    op.inputs[1] = floats({4}, {1, 1, 1.5F, 0.6F}); // rows 0, 0 and 1: 1 / 1.5 and 2 / 1.5, truncated
    EXPECT_EQ(op.run(), std::vector{floats({1, 1, 3, 2}, {1, 3, 1, 3, 5, 7})});
    op.constants = 0;
    EXPECT_EQ(op.run(), std::vector{floats({1, 1, 3, 2}, {1, 3, 1, 3, 5, 7})});
    op.op = "Upsample";
    op.opset = 9;
    EXPECT_EQ(op.runInEngine(), std::vector{floats({1, 1, 3, 2}, {1, 3, 1, 3, 5, 7})});
}

TEST(ResizeOnnx,
     leavesOutEmptyListsInOpset11) { // half pixels, rounded down: the same as asymmetric and floor for a factor of 2
    Literal const none = floats({0}, {});
    OneOp op{.op = "Resize", .opset = 11, .inputs = {image(), none, floats({4}, {1, 1, 2, 2})}, .constants = 6};
    EXPECT_EQ(op.run(), doubled());
    op.inputs = {image(), none, none, ints({4}, {1, 1, 4, 4})};
    op.constants = 14;
    EXPECT_EQ(op.run(), doubled());
}

TEST(ResizeOnnx, takesScalesThatRunTimeTells) {
    OneOp const op{.op = "Resize", .opset = 13, .inputs = {image(), {}, floats({4}, {1, 1, 2, 2})}};
    EXPECT_EQ(op.run(), doubled());
}

TEST(ResizeOnnx, keepsUnknownExtents) {
    OneOp const op{.op = "Resize",
                   .opset = 13,
                   .inputs = {image(), {}, floats({4}, {1, 1, 2, 2})},
                   .constants = 4,
                   .symbolic = true};
    EXPECT_EQ(op.shapes(), "[N,C,(H*2),(W*2)]");
}

TEST(ResizeOnnx, namesModesThatItDoesNotKnow) {
    OneOp const op{.op = "Resize",
                   .attributes = {{"mode", "lanczos"}},
                   .inputs = {image(), {}, floats({4}, {1, 1, 2, 2})},
                   .constants = 4};
    EXPECT_NE(op.error().find("mode is \"lanczos\"; expected one of nearest, linear, bilinear, cubic"),
              std::string::npos)
        << op.error();
}

} // namespace
} // namespace tenon
