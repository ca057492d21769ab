// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <numeric>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::OneOp;
using Integers = std::vector<int64_t>;

Literal image() { return test::spread({2, 8, 2, 3}, -1, 1); }

TEST(ReshapeOnnx, readsTheShapeFromAnAttributeBeforeOpset5) {
    OneOp const op{.op = "Reshape", .opset = 1, .attributes = {{"shape", Integers{0, -1}}}, .inputs = {image()}};
    EXPECT_EQ(op.run(), std::vector{image().reshaped({2, 48})});
}

TEST(TransposeOnnx, reversesTheAxesByDefault) { // numpy: x.T
    OneOp const op{.op = "Transpose", .inputs = {floats({1, 2, 2}, {1, 2, 3, 4})}};
    EXPECT_EQ(op.run(), std::vector{floats({2, 2, 1}, {1, 3, 2, 4})});
}

TEST(FlattenOnnx, keepsUnknownExtents) {
    OneOp op{.op = "Flatten", .inputs = {image()}, .symbolic = true};
    EXPECT_EQ(op.shapes(), "[N,((C*H)*W)]");
    op.attributes = {{"axis", int64_t{-2}}};
    EXPECT_EQ(op.shapes(), "[(N*C),(H*W)]");
    op.attributes = {{"axis", int64_t{0}}};
    EXPECT_EQ(op.shapes(), "[1,(((N*C)*H)*W)]");
    op.attributes = {{"axis", int64_t{5}}};
    EXPECT_NE(op.error().find("axis is 5 and input 0 of rank 4; expected -4 to 4"), std::string::npos) << op.error();
}

/// For example, of an empty list of boxes.
TEST(FlattenOnnx, ofNothingKeepsTheOtherExtents) {
    test::OnnxModel model(17);
    model.input("x", {"N", 4, 3});
    model.node("Flatten", {"x"}, {"y"});
    model.output("y");
    Graph graph;
    ASSERT_TRUE(onnx::parse(test::asBytes(model.bytes()), graph));
    EXPECT_EQ(test::runEngine(graph, {floats({0, 4, 3}, {})})[0], floats({0, 12}, {}));
}

/// Expects the shape that an operator gives for empty inputs, whether they are known when the model is read or not.
void expectEmpty(OneOp op, Dims const& dims) {
    for (bool const symbolic : {false, true}) {
        op.symbolic = symbolic;
        auto const y = op.runInEngine();
        ASSERT_EQ(y.size(), 1U);
        EXPECT_EQ(y[0].dims(), dims) << op.op << (symbolic ? " of open extents" : "");
    }
}

// numpy's rule: -1 is the remaining extent
TEST(ShuffleOnnx, keepsExtentsBesideA0) {
    Literal const none = floats({0, 4, 6, 2}, {});
    OneOp op{.op = "Flatten", .inputs = {none}};
    expectEmpty(op, {0, 48});
    op.attributes = {{"axis", int64_t{0}}};
    expectEmpty(op, {1, 0});
    op.attributes = {{"axis", int64_t{2}}};
    expectEmpty(op, {0, 12});
    op.attributes = {{"axis", int64_t{4}}};
    expectEmpty(op, {0, 1});
    op.attributes = {};
    op.inputs = {floats({3, 0, 5}, {})};
    expectEmpty(op, {3, 0});
    for (char const* const mode : {"DCR", "CRD"}) {
        std::vector<OneOp::Attribute> const attributes{{"blocksize", int64_t{2}}, {"mode", mode}};
        for (int empty = 0; empty < 4; ++empty) {
            Dims from{3, 4, 6, 2};
            from[empty] = 0;
            Dims deep{from[0], from[1] * 4, from[2] / 2, from[3] / 2};
            Dims wide{from[0], from[1] / 4, from[2] * 2, from[3] * 2};
            Literal const x = floats(from, {});
            expectEmpty({.op = "DepthToSpace", .attributes = attributes, .inputs = {x}}, wide);
            expectEmpty({.op = "SpaceToDepth", .opset = 28, .attributes = attributes, .inputs = {x}}, deep);
        }
    }
}

TEST(ShuffleOnnx, joinsAxesBesideA0) {
    for (char const* const name : {"Softmax", "LogSoftmax", "Hardmax"}) {
        for (int64_t axis = 0; axis < 3; ++axis) {
            OneOp const op{.op = name, .opset = 11, .attributes = {{"axis", axis}}};
            for (Dims const& dims : {Dims{0, 4, 3}, Dims{2, 0, 3}}) {
                if (dims.volume(static_cast<int>(axis), 3) == 0 && name[0] == 'H') continue; // there is no maximum
                OneOp one = op;
                one.inputs = {floats(dims, {})};
                expectEmpty(one, dims);
            }
        }
    }
}

TEST(SpaceToDepthOnnx, refusesWhatItCannotTakeApart) {
    OneOp const op{.op = "SpaceToDepth", .attributes = {{"blocksize", int64_t{3}}}, .inputs = {image()}};
    EXPECT_NE(op.error().find("shape [2,8,2,3] has 96 elements and cannot be reshaped to [2,8,0,3,1,3]"),
              std::string::npos)
        << op.error();
}

TEST(SpaceToDepthOnnx, hasAModeSinceOpset28) { // onnx.reference
    std::vector<float> x(16);
    std::iota(x.begin(), x.end(), 0.0F);
    OneOp op{.op = "SpaceToDepth",
             .opset = 28,
             .attributes = {{"blocksize", int64_t{2}}, {"mode", "DCR"}},
             .inputs = {floats({1, 2, 2, 4}, x)}};
    EXPECT_EQ(op.run(), std::vector{floats({1, 8, 1, 2}, {0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15})});
    op.attributes[1].value = "CRD";
    EXPECT_EQ(op.run(), std::vector{floats({1, 8, 1, 2}, {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15})});
    op.attributes[1].value = "RCD";
    EXPECT_NE(op.error().find("mode is \"RCD\"; expected DCR or CRD"), std::string::npos) << op.error();
}

TEST(DepthToSpaceOnnx, keepsUnknownExtents) {
    OneOp op{.op = "DepthToSpace", .attributes = {{"blocksize", int64_t{2}}}, .inputs = {image()}, .symbolic = true};
    EXPECT_EQ(op.shapes(), "[N,(C/4),(H*2),(W*2)]");
    op.attributes.push_back({"mode", "CRD"});
    EXPECT_EQ(op.shapes(), "[N,(C/4),(H*2),(W*2)]");
}

TEST(SpaceToDepthOnnx, undoesDepthToSpace) {
    OneOp const there{.op = "DepthToSpace", .attributes = {{"blocksize", int64_t{2}}}, .inputs = {image()}};
    auto const spread = there.run();
    ASSERT_EQ(spread.size(), 1U);
    EXPECT_EQ(spread[0].dims(), (Dims{2, 2, 4, 6}));
    OneOp const back{.op = "SpaceToDepth", .attributes = {{"blocksize", int64_t{2}}}, .inputs = {spread}};
    EXPECT_EQ(back.run(), std::vector{image()});
}

TEST(DepthToSpaceOnnx, refusesWhatItCannotTakeApart) {
    OneOp op{.op = "DepthToSpace", .attributes = {{"blocksize", int64_t{0}}}, .inputs = {image()}};
    EXPECT_NE(op.error().find("blocksize is 0; expected 1 to 2147483647"), std::string::npos) << op.error();
    op.attributes = {{"blocksize", INT64_MAX}};
    EXPECT_NE(op.error().find("blocksize is 9223372036854775807; expected 1 to "), std::string::npos) << op.error();
    op.attributes = {{"blocksize", int64_t{3}}};
    EXPECT_NE(op.error().find("shape [2,8,2,3] has 96 elements and cannot be reshaped to"), std::string::npos)
        << op.error();
    op.inputs = {floats({2}, {1, 2})};
    EXPECT_NE(op.error().find("input 0 has shape [2]; expected [N,C,H,W]"), std::string::npos) << op.error();
}

TEST(SqueezeOnnx, readsAxesFromAnAttributeBeforeOpset13) {
    Literal const x = floats({1, 2, 1}, {1, 2});
    EXPECT_EQ((OneOp{.op = "Squeeze", .opset = 11, .attributes = {{"axes", Integers{-1}}}, .inputs = {x}}.run()),
              std::vector{x.reshaped({1, 2})});
    EXPECT_EQ((OneOp{.op = "Squeeze", .opset = 11, .inputs = {x}}.run()), std::vector{x.reshaped({2})});
    EXPECT_EQ((OneOp{.op = "Unsqueeze", .opset = 11, .attributes = {{"axes", Integers{0, 4}}}, .inputs = {x}}.run()),
              std::vector{x.reshaped({1, 1, 2, 1, 1})});
}

TEST(ConcatOnnx, joinsTheChannelsByDefaultBeforeOpset4) {
    Literal const x = floats({1, 2}, {1, 2});
    EXPECT_EQ((OneOp{.op = "Concat", .opset = 3, .inputs = {x, x}}.run()), std::vector{floats({1, 4}, {1, 2, 1, 2})});
}

} // namespace
} // namespace tenon
