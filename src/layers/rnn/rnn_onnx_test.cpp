// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"

namespace tenon {
namespace {

using test::OneOp;
using test::spread;

/// X [3,2,4], of hidden size 5
OneOp lstm(std::vector<OneOp::Attribute> attributes, int64_t directions = 1) {
    return {
        .op = "LSTM",
        .opset = 14,
        .attributes = std::move(attributes),
        .inputs = {spread({3, 2, 4}, -1, 1), spread({directions, 20, 4}, -1, 1), spread({directions, 20, 5}, -1, 1)},
        .outputs = 3};
}

std::string const kNode = "node (LSTM, opset 14, node 0): ";

TEST(RnnOnnx, givesTheShapesOfBothLayouts) {
    EXPECT_EQ(lstm({}).shapes(), "[3,1,2,5] [1,2,5] [1,2,5]");
    EXPECT_EQ(lstm({{"direction", "bidirectional"}, {"layout", int64_t{1}}}, 2).shapes(), "[3,2,2,5] [3,2,5] [3,2,5]");
    OneOp open = lstm({{"hidden_size", int64_t{5}}});
    open.symbolic = true;
    EXPECT_EQ(open.shapes(), "[N,1,C,5] [1,C,5] [1,C,5]");
}

TEST(RnnOnnx, refusesWhatItDoesNotCompute) {
    EXPECT_EQ(lstm({{"clip", 1.0F}}).error(), kNode + "the attribute clip is not supported");
    EXPECT_EQ(lstm({{"input_forget", int64_t{1}}}).error(), kNode + "the attribute input_forget is not supported");
    OneOp peepholes = lstm({});
    peepholes.inputs.resize(7);
    peepholes.inputs.push_back(spread({1, 10}, -1, 1));
    EXPECT_EQ(peepholes.error(), kNode + "the peephole tensor has shape [1,10] of 10 values; expected 15");
}

TEST(RnnOnnx, refusesOtherActivations) {
    test::OnnxModel model;
    model.input("x", {3, 2, 4});
    model.input("w", {1, 5, 4});
    model.input("r", {1, 5, 5});
    auto& node = model.node("RNN", {"x", "w", "r"}, {"y"}, "node");
    test::attribute(node, "activations", proto::AttributeProto::STRINGS).add_strings("Affine");
    model.output("y");
    std::string const bytes = model.bytes();
    Graph graph;
    auto const result = onnx::parse(test::asBytes(bytes), graph);
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors[0].text,
              "node (RNN, opset 13, node 0): activations Affine are not supported; expected Tanh");
}

TEST(RnnOnnx, refusesAModelThatIsWrong) {
    EXPECT_EQ(lstm({{"direction", "sideways"}}).error(),
              kNode + "direction is \"sideways\"; expected forward, reverse or bidirectional");
    EXPECT_EQ(lstm({{"layout", int64_t{2}}}).error(), kNode + "layout is 2; expected 0 or 1");
    EXPECT_EQ(lstm({{"direction", "bidirectional"}}).error(),
              kNode + "the input weight tensor has shape [1,20,4] of 80 values; expected 160");
    OneOp flat = lstm({});
    flat.inputs[2] = spread({20, 5}, -1, 1);
    EXPECT_EQ(flat.error(),
              kNode + "input 2 'x2' has shape [20,5]; expected [directions,gates*hidden_size,hidden_size]");
}

} // namespace
} // namespace tenon
