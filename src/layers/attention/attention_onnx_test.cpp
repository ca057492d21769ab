// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"
#include "support/recorded.h"

namespace tenon {
namespace {

using test::OneOp;
using test::spread;

OneOp attention(std::vector<OneOp::Attribute> attributes, std::vector<Literal> inputs) {
    return {.op = "Attention", .opset = 23, .attributes = std::move(attributes), .inputs = std::move(inputs)};
}

std::string const kNode = "node (Attention, opset 23, node 0): ";

Literal x() { return spread({1, 2, 3, 4}, -1, 1); }

TEST(AttentionOnnx, letsNeighbouringHeadsShareOneOfTheKey) { // see record_attention.py
    auto const found = attention({{"scale", 1.0F}}, {spread({1, 6, 4, 8}, -1, 1), spread({1, 2, 5, 8}, -2, 2),
                                                     spread({1, 2, 5, 8}, -1, 1)})
                           .run();
    test::expectClose(found[0], test::recorded("src/layers/attention/attention_test.txt", "shared"), 1e-5, "shared");
}

TEST(AttentionOnnx, refusesAModelThatIsWrong) {
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, x()}).error(),
              kNode + "past_key and past_value must be given together");
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, x(), x(), test::ints({1}, {1})}).error(),
              kNode + "past_key and nonpad_kv_seqlen; the first is a cache inside of the node, the second one outside, "
                      "so that only one of them can be given");
    EXPECT_EQ(attention({{"left_window_size", int64_t{-2}}}, {x(), x(), x()}).error(),
              kNode + "left_window_size is -2; expected 0 or more, or -1 for an open window");
    OneOp products = attention({{"qk_matmul_output_mode", int64_t{4}}}, {x(), x(), x()});
    products.outputs = 4;
    EXPECT_EQ(products.error(), kNode + "qk_matmul_output_mode is 4; expected 0 to 3");
    Literal const flat = spread({1, 3, 8}, -1, 1);
    EXPECT_EQ(attention({}, {flat, flat, flat}).error(), kNode + "attribute 'q_num_heads' is missing");
    EXPECT_EQ(attention({{"q_num_heads", int64_t{0}}}, {flat, flat, flat}).error(),
              kNode + "q_num_heads is 0; expected 1 or more");
    EXPECT_EQ(attention({}, {spread({3, 8}, -1, 1), flat, flat}).error(),
              kNode + "input 0 'x0' has shape [3,8]; expected rank 3 or 4");
}

TEST(FlexAttentionOnnx, refusesGraphsInside) {
    test::OnnxModel model(26);
    model.input("x", {1, 2, 3, 4});
    auto& node = model.node("FlexAttention", {"x", "x", "x"}, {"y"}, "flex");
    node.set_domain("ai.onnx.preview");
    test::attribute(node, "prob_mod", proto::AttributeProto::GRAPH).mutable_g();
    model.output("y");
    Graph graph;
    auto const parsed = onnx::parse(test::asBytes(model.bytes()), graph);
    ASSERT_EQ(parsed.errors.size(), 1U);
    EXPECT_EQ(
        parsed.errors[0].text,
        "flex (FlexAttention, domain ai.onnx.preview, node 0): it has a graph inside, prob_mod, and graphs in nodes "
        "are not supported; export the model with the node's function in its place");
}

TEST(FlexAttentionOnnx, refusesAQueryOfAnotherRank) {
    test::OnnxModel model(26);
    model.input("x", {});
    model.node("FlexAttention", {"x", "x", "x"}, {"y"}, "flex").set_domain("ai.onnx.preview");
    model.output("y");
    Graph graph;
    auto const parsed = onnx::parse(test::asBytes(model.bytes()), graph);
    ASSERT_EQ(parsed.errors.size(), 1U);
    EXPECT_EQ(parsed.errors[0].text, "flex (FlexAttention, domain ai.onnx.preview, node 0): input 0 'x' has shape []; "
                                     "expected rank 4");
}

} // namespace
} // namespace tenon
