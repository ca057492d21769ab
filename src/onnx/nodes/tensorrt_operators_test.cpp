// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Expected values follow by hand from the inputs: keys of 0 make the weights of all visible values equal.

#include "onnx/parse.h"
#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

using test::OneOp;
using Attributes = std::vector<OneOp::Attribute>;

Literal reals(Dims const& dims, std::vector<float> const& values) { return Literal::of(dims, values); }
Literal lengths(std::vector<int32_t> const& values) {
    return Literal::of({static_cast<int64_t>(values.size())}, values);
}

OneOp op(std::string name, Attributes attributes, std::vector<Literal> inputs) {
    return {.op = std::move(name), .opset = 23, .attributes = std::move(attributes), .inputs = std::move(inputs)};
}

/// By the reference and by an engine; both must equal `expected`.
void expectResult(OneOp const& node, std::vector<float> const& expected) {
    for (Literal const& found : {node.run()[0], node.runInEngine()[0]})
        test::expectClose(found, Literal::of(found.dims(), expected), 1e-5, node.op);
}

TEST(TensorrtAttentionOnnx, doesNotScaleTheProducts) { // exp(log 3) : exp(0) is 3 : 1
    Literal const query = reals({1, 1, 1, 2}, {std::log(3.0F), 0});
    Literal const key = reals({1, 1, 2, 2}, {1, 0, 0, 0});
    Literal const value = reals({1, 1, 2, 2}, {8, 0, 0, 4});
    expectResult(op("TRT_Attention", {{"TRT_decomposable", int64_t{1}}}, {query, key, value}), {6, 1});
}

TEST(TensorrtAttentionOnnx, leavesOutTheSoftmax) {
    auto const one = [](float x) { return reals({1, 1, 1, 1}, {x}); };
    Literal const key = reals({1, 1, 2, 1}, {3, 4});
    Literal const value = reals({1, 1, 2, 1}, {5, 7});
    expectResult(op("TRT_Attention", {{"TRT_normalization_op", std::string("none")}}, {one(2), key, value}),
                 {2 * (3 * 5 + 4 * 7)});
}

TEST(TensorrtAttentionOnnx, takesABooleanMaskAndOneThatIsAdded) {
    Literal const query = reals({1, 1, 1, 1}, {0});
    Literal const key = reals({1, 1, 3, 1}, {0, 0, 0});
    Literal const value = reals({1, 1, 3, 1}, {2, 4, 9});
    std::vector<uint8_t> const first{1, 1, 0};
    Literal const seen = Literal::copyOf(DataType::Bool, {1, 1, 1, 3}, first.data());
    expectResult(op("TRT_Attention", {}, {query, key, value, seen}), {3});
    Literal const added = reals({1, 1, 1, 3}, {0, -INFINITY, -INFINITY});
    expectResult(op("TRT_Attention", {}, {query, key, value, added}), {2});
}

/// Queries of 1 and of 2 tokens, packed, beside keys that are padded to 3.
OneOp packedQueries(std::string const& causal, std::vector<Literal> const& keyLengths) {
    std::vector<Literal> inputs{reals({3, 1, 1}, {1, 1, 1}), reals({2, 1, 3, 1}, {0, 0, 0, 0, 0, 0}),
                                reals({2, 1, 3, 1}, {1, 2, 3, 10, 20, 30}), Literal(), lengths({0, 1, 3})};
    inputs.insert(inputs.end(), keyLengths.begin(), keyLengths.end());
    return op("TRT_Attention", {{"query_form", std::string("packed_nhd")}, {"causal_kind", causal}}, inputs);
}

TEST(TensorrtAttentionOnnx, takesPackedQueriesBesidePaddedKeys) {
    expectResult(packedQueries("none", {}), {2, 20, 20});
    expectResult(packedQueries("upper_left", {}), {1, 10, 15});
    expectResult(packedQueries("lower_right", {}), {2, 15, 20});
    expectResult(packedQueries("lower_right", {lengths({3, 2})}), {2, 10, 15});
}

TEST(TensorrtAttentionOnnx, takesPackedKeys) {
    Attributes const attributes{{"query_form", std::string("packed_nhd")}, {"kv_form", std::string("packed_nhd")}};
    expectResult(op("TRT_Attention", attributes,
                    {reals({2, 1, 1}, {1, 1}), reals({5, 1, 1}, {0, 0, 0, 0, 0}), reals({5, 1, 1}, {1, 3, 10, 20, 30}),
                     Literal(), lengths({0, 1, 2}), lengths({0, 2, 5})}),
                 {2, 20});
}

TEST(TensorrtAttentionOnnx, refusesAModelThatIsWrong) {
    std::string const node = "node (TRT_Attention, opset 23, node 0): ";
    Literal const x = reals({1, 1, 2, 1}, {1, 2});
    Literal const packed = reals({2, 1, 1}, {1, 2});
    auto const error = [](Attributes attributes, std::vector<Literal> inputs) {
        return op("TRT_Attention", std::move(attributes), std::move(inputs)).error();
    };
    EXPECT_EQ(error({{"query_form", std::string("ragged")}}, {x, x, x}),
              node + "query_form is \"ragged\"; expected padded_bhnd or packed_nhd");
    EXPECT_EQ(error({{"causal_kind", std::string("both")}}, {x, x, x}),
              node + "causal_kind is \"both\"; expected none, upper_left or lower_right");
    EXPECT_EQ(error({{"TRT_normalization_op", std::string("l2")}}, {x, x, x}),
              node + "TRT_normalization_op is \"l2\"; expected softmax or none");
    EXPECT_EQ(error({}, {packed, x, x}),
              node + "input 0 'x0' has shape [2,1,1]; expected rank 4, since it is padded_bhnd");
    EXPECT_EQ(error({{"query_form", std::string("packed_nhd")}}, {x, x, x}),
              node + "input 0 'x0' has shape [1,1,2,1]; expected rank 3, since it is packed_nhd");
    EXPECT_EQ(error({{"query_form", std::string("packed_nhd")}}, {packed, x, x}),
              node + "query_lengths, input 4, is missing; packed sequences need it");
    EXPECT_EQ(error({{"causal_kind", std::string("upper_left")}}, {x, x, x, reals({1, 1, 2, 2}, {0, 0, 0, 0})}),
              node + "attn_mask and causal_kind are both set; set one of them, or use a causal mask");
}

TEST(TensorrtAttentionOnnx, isFoundInTheDomainOfItsTools) {
    test::OnnxModel model(23);
    model.import("trt", 1);
    for (char const* name : {"q", "k", "v"}) model.input(name, {1, 1, 2, 1});
    model.node("TRT_Attention", {"q", "k", "v"}, {"y"}, "attention").set_domain("trt");
    model.output("y");
    Graph parsed;
    auto const result = onnx::parse(test::asBytes(model.bytes()), parsed);
    EXPECT_TRUE(result) << result.errors.front().text;
}

TEST(TensorrtKVCacheUpdateOnnx, writesPaddedAndPackedUpdates) {
    Literal const cache = reals({2, 1, 3, 1}, {0, 0, 0, 0, 0, 0});
    Literal const begin = lengths({2, 0});
    expectResult(op("TRT_KVCacheUpdate", {}, {cache, reals({2, 1, 1, 1}, {7, 8}), begin}), {0, 0, 7, 8, 0, 0});
    expectResult(op("TRT_KVCacheUpdate", {}, {cache, reals({2, 1, 1, 1}, {7, 8})}), {7, 0, 0, 8, 0, 0});
    expectResult(op("TRT_KVCacheUpdate", {{"update_form", std::string("packed_nhd")}, {"axis", int64_t{-2}}},
                    {cache, reals({3, 1, 1}, {1, 2, 3}), begin, lengths({0, 1, 3})}),
                 {0, 0, 1, 2, 3, 0});
}

TEST(TensorrtKVCacheUpdateOnnx, refusesAModelThatIsWrong) {
    std::string const node = "node (TRT_KVCacheUpdate, opset 23, node 0): ";
    Literal const cache = reals({1, 1, 2, 1}, {0, 0});
    Literal const packed = reals({1, 1, 1}, {1});
    auto const error = [](Attributes attributes, std::vector<Literal> inputs) {
        return op("TRT_KVCacheUpdate", std::move(attributes), std::move(inputs)).error();
    };
    EXPECT_EQ(error({{"mode", std::string("circular")}}, {cache, cache}),
              node + "mode is \"circular\"; expected linear");
    EXPECT_EQ(error({{"axis", int64_t{1}}}, {cache, cache}),
              node + "axis is 1; expected -2, the positions of [B,H,N,D]");
    EXPECT_EQ(error({{"update_form", std::string("packed_nhd")}}, {cache, packed}),
              node + "update_lengths, input 3, is missing; a packed update needs it");
    EXPECT_EQ(error({}, {cache, packed}),
              node + "input 1 'x1' has shape [1,1,1]; expected rank 4, since it is padded_bhnd");
}

/// A token x = 2 through expert 1 with score 0.25 and expert 0 with 0.75.
std::vector<Literal> experts(bool biases) {
    auto const each = [](float a, float b) { return reals({2, 1, 1}, {a, b}); };
    auto const bias = [](float a, float b) { return reals({2, 1}, {a, b}); };
    std::vector<Literal> inputs{reals({1, 1, 1}, {2}),
                                Literal::of<int32_t>({1, 1, 2}, {1, 0}),
                                reals({1, 1, 2}, {0.25F, 0.75F}),
                                each(1, 3),
                                each(1, 2),
                                each(10, 100)};
    if (biases) inputs.insert(inputs.end(), {bias(1, 0), bias(0, 1), bias(5, 7)});
    return inputs;
}

TEST(TensorrtMoEOnnx, sumsWhatTheChosenExpertsMake) {
    expectResult(op("TRT_MoE", {}, experts(false)), {0.25F * (6 * 4 * 100) + 0.75F * (2 * 2 * 10)});
    expectResult(op("TRT_MoE", {}, experts(true)), {0.25F * (6 * (4 + 1) * 100 + 7) + 0.75F * ((2 + 1) * 2 * 10 + 5)});
}

TEST(TensorrtMoEOnnx, takesSwigluWithItsParameters) {
    auto const swiglu = [](float gate, float up, float limit, float alpha, float beta) {
        float const cut = std::min(gate, limit);
        return cut / (1 + std::exp(-alpha * cut)) * (std::clamp(up, -limit, limit) + beta);
    };
    float const plain = 0.25F * swiglu(6, 4, INFINITY, 1, 0) * 100 + 0.75F * swiglu(2, 2, INFINITY, 1, 0) * 10;
    expectResult(op("TRT_MoE", {{"activation_type", int64_t{1}}}, experts(false)), {plain});
    float const tuned = 0.25F * swiglu(6, 4, 3, 1.5F, 0.5F) * 100 + 0.75F * swiglu(2, 2, 3, 1.5F, 0.5F) * 10;
    expectResult(
        op("TRT_MoE",
           {{"activation_type", int64_t{1}}, {"swiglu_limit", 3.0F}, {"swiglu_alpha", 1.5F}, {"swiglu_beta", 0.5F}},
           experts(false)),
        {tuned});
}

TEST(TensorrtMoEOnnx, roundsWhatGoesIntoTheDownProjection) { // FP8 of 3 bits: 24 / 10 is 2.5, 4 / 10 is 0.40625
    auto inputs = experts(false);
    inputs.resize(9);
    inputs.push_back(reals({}, {10}));
    expectResult(op("TRT_MoE", {{"quantization_mode", int64_t{1}}, {"quantization_dtype", int64_t{6}}}, inputs),
                 {0.25F * 25 * 100 + 0.75F * 4.0625F * 10});
}

TEST(TensorrtMoEOnnx, refusesAModelThatIsWrong) {
    std::string const node = "node (TRT_MoE, opset 23, node 0): ";
    auto const error = [](Attributes attributes, std::vector<Literal> inputs) {
        return op("TRT_MoE", std::move(attributes), std::move(inputs)).error();
    };
    EXPECT_EQ(error({{"activation_type", int64_t{2}}}, experts(false)),
              node + "activation_type is 2; expected 0 (none) or 1 (SiLU)");
    EXPECT_EQ(error({{"swiglu_limit", 0.0F}}, experts(false)), node + "swiglu_limit is 0; expected a number above 0");
    EXPECT_EQ(error({{"quantization_mode", int64_t{3}}}, experts(false)),
              node + "quantization_mode is 3; expected 0, 1 or 2");
    EXPECT_EQ(error({{"quantization_mode", int64_t{1}}}, experts(false)),
              node + "fcDownActivationScale, input 9, is missing; quantization_mode 1 needs it");
    EXPECT_EQ(error({{"quantization_mode", int64_t{1}}, {"quantization_dtype", int64_t{7}}}, experts(false)),
              node + "quantization_dtype is 7; expected a DataType: 6 (FP8), 10 (FP4), 11 (E8M0)");
    auto inputs = experts(true);
    inputs.pop_back();
    EXPECT_EQ(error({}, inputs), node + "has 2 of the biases, inputs 6 to 8; expected all or none");
    inputs = experts(true);
    inputs.push_back(reals({}, {10}));
    EXPECT_EQ(error({}, inputs), node + "fcDownActivationScale, input 9, without a quantization_mode");
    EXPECT_EQ(error({{"quantization_mode", int64_t{2}}}, inputs),
              node + "quantization_block_shape has 0 numbers; expected 4 with quantization_mode 2");
}

} // namespace
} // namespace tenon
