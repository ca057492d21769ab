// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "support/layer_case.h"
#include "support/onnx_node_case.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

LinearAttention attention(int64_t queryHeads, int64_t keyHeads, bool corrects = false) {
    LinearAttention layer;
    layer.queryHeads = queryHeads;
    layer.keyHeads = keyHeads;
    layer.corrects = corrects;
    layer.scale = 1;
    return layer;
}

// by hand, from the formulas; ONNX's node tests have all rules with random numbers

TEST(LinearAttention, addsEachTokenToItsMemory) { // K = V = 1: y = q · (sum of k v)
    LayerCase{.inputs = {floats({1, 3, 1}, {1, 2, 3}), floats({1, 3, 1}, {1, 1, 2}), floats({1, 3, 1}, {4, 5, 6})},
              .expected = {floats({1, 3, 1}, {4, 18, 63}), floats({1, 1, 1, 1}, {21})}}
        .expect(attention(1, 1));
}

TEST(LinearAttention, forgetsAndCorrects) { // S = 8: halved, v = 0.5 (6 - 4), S = 4 + 1
    auto const one = floats({1, 1, 1}, {1});
    LayerCase{.inputs = {floats({1, 1, 1}, {3}), one, floats({1, 1, 1}, {6}), floats({1, 1, 1, 1}, {8}),
                         floats({1, 1, 1}, {std::log(0.5F)}), floats({1, 1, 1}, {0.5F})},
              .expected = {floats({1, 1, 1}, {15}), floats({1, 1, 1, 1}, {5})}}
        .expect(attention(1, 1, true));
}

TEST(LinearAttention, letsHeadsOfTheQueryShareOneOfTheKey) { // two heads of the query, K = 2, V = 1
    LayerCase{.inputs = {floats({1, 1, 4}, {1, 2, 3, 4}), floats({1, 1, 2}, {5, 6}), floats({1, 1, 1}, {2})},
              .expected = {floats({1, 1, 2}, {34, 78}), floats({1, 1, 2, 1}, {10, 12})}}
        .expect(attention(2, 1));
}

TEST(LinearAttention, refusesShapesThatDoNotFit) {
    auto const error = [](LinearAttention const& layer, std::vector<Shape> const& shapes) {
        std::vector<test::Input> inputs;
        for (Shape const& shape : shapes) inputs.push_back({DataType::Float32, shape});
        return test::inferError(layer, inputs);
    };
    Shape const x{1, 3, 8};
    std::string const at = "node (LinearAttention): ";
    EXPECT_EQ(error(attention(3, 2), {x, x, x}),
              at + "3 heads of the query for 2 of the key; expected a multiple of them");
    EXPECT_EQ(error(attention(4, 2), {x, x, x}), at + "key has shape [1,3,8]; expected [1,3,4]");
    EXPECT_EQ(error(attention(2, 2), {x, x, x, {1, 2, 4, 5}}), at + "past has shape [1,2,4,5]; expected [1,2,4,4]");
    EXPECT_EQ(error(attention(2, 2, true), {x, x, x}), at + "the delta rule expects a beta");
}

TEST(LinearAttentionOnnx, refusesWhatARuleDoesNotRead) {
    auto const node = [](std::string const& rule) {
        auto const one = floats({1, 1, 1}, {1});
        return test::OnnxNodeCase("LinearAttention", 27, 2)
            .string("update_rule", rule)
            .integer("q_num_heads", 1)
            .integer("kv_num_heads", 1)
            .input(one)
            .input(one)
            .input(one);
    };
    std::string const at = "node (LinearAttention, opset 27, node 0): update_rule ";
    EXPECT_EQ(node("slow").error(), at + "is \"slow\"; expected linear, gated, delta or gated_delta");
    EXPECT_EQ(node("gated").error(), at + "\"gated\" expects decay, which is left out");
    EXPECT_EQ(node("linear").absent().absent().input(floats({1, 1, 1}, {1})).error(),
              at + "\"linear\" does not read beta, which is there");
}

} // namespace
} // namespace tenon
