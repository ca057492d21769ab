// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"
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

TEST(AttentionOnnx, refusesWhatItDoesNotCompute) {
    EXPECT_EQ(attention({{"softcap", 2.0F}}, {x(), x(), x()}).error(), kNode + "softcap is not supported");
    OneOp products = attention({}, {x(), x(), x()});
    products.outputs = 4;
    EXPECT_EQ(products.error(), kNode + "the output qk_matmul_output is not supported");
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, {}, {}, test::ints({1}, {1})}).error(),
              kNode + "the input nonpad_kv_seqlen is not supported");
    EXPECT_EQ(attention({{"left_window_size", int64_t{2}}}, {x(), x(), x()}).error(),
              kNode + "left_window_size is 2; windows are not supported, give the node a mask");
    EXPECT_EQ(attention({{"right_window_size", int64_t{0}}}, {x(), x(), x()}).error(),
              kNode + "right_window_size is 0; windows are not supported, give the node a mask");
    EXPECT_EQ(attention({{"is_causal", int64_t{1}}}, {x(), x(), x(), {}, x(), x()}).error(),
              kNode + "is_causal together with past_key is not supported; give the node a mask");
}

TEST(AttentionOnnx, refusesAModelThatIsWrong) {
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, x()}).error(),
              kNode + "past_key and past_value must be given together");
    Literal const flat = spread({1, 3, 8}, -1, 1);
    EXPECT_EQ(attention({}, {flat, flat, flat}).error(), kNode + "attribute 'q_num_heads' is missing");
    EXPECT_EQ(attention({{"q_num_heads", int64_t{0}}}, {flat, flat, flat}).error(),
              kNode + "q_num_heads is 0; expected 1 or more");
    EXPECT_EQ(attention({}, {spread({3, 8}, -1, 1), flat, flat}).error(),
              kNode + "input 0 'x0' has shape [3,8]; expected rank 3 or 4");
}

} // namespace
} // namespace tenon
