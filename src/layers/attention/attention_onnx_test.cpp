// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"
#include "support/onnx_model.h"
#include "support/recorded.h"
#include "support/run_engine.h"

#include <cmath>

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

TEST(AttentionOnnx, takesNoSequencesOfHeadsSideBySide) {
    Literal const none = spread({0, 3, 8}, -1, 1);
    OneOp op = attention({{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}}, {none, none, none});
    EXPECT_EQ(op.runInEngine()[0].dims(), (Dims{0, 3, 8}));
    op.attributes.push_back({"scale", 1.0F});
    op.symbolic = true;
    EXPECT_EQ(op.runInEngine()[0].dims(), (Dims{0, 3, 8}));
}

TEST(AttentionOnnx, refusesAModelThatIsWrong) {
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, x()}).error(),
              kNode + "past_key and past_value must be given together");
    EXPECT_EQ(attention({}, {x(), x(), x(), {}, x(), x(), test::ints({1}, {1})}).error(),
              kNode + "past_key and nonpad_kv_seqlen are given; expected one of them, since the first is a cache "
                      "inside the node, the second one outside");
    EXPECT_EQ(attention({{"left_window_size", int64_t{-2}}}, {x(), x(), x()}).error(),
              kNode + "left_window_size is -2; expected 0 or more, or -1 for an open window");
    OneOp products = attention({{"qk_matmul_output_mode", int64_t{4}}}, {x(), x(), x()});
    products.outputs = 4;
    EXPECT_EQ(products.error(), kNode + "qk_matmul_output_mode is 4; expected 0 to 3");
    Literal const flat = spread({1, 3, 8}, -1, 1);
    EXPECT_EQ(attention({}, {flat, flat, flat}).error(), kNode + "attribute 'q_num_heads' is missing");
    EXPECT_EQ(attention({{"q_num_heads", int64_t{0}}}, {flat, flat, flat}).error(),
              kNode + "q_num_heads is 0; expected 1 or more");
    EXPECT_EQ(attention({{"q_num_heads", int64_t{3}}}, {flat, flat, flat}).error(),
              kNode + "'x0' has shape [1,3,8], whose last extent q_num_heads = 3 does not divide");
    EXPECT_EQ(attention({}, {spread({3, 8}, -1, 1), flat, flat}).error(),
              kNode + "input 0 'x0' has shape [3,8]; expected rank 3 or 4");
}

using Proto = proto::AttributeProto;

/// A FlexAttention of x [N,H,S,D] with itself and with a graph attribute: y = op(x) of its input.
struct Flex {
    test::OnnxModel model{26};
    proto::NodeProto* node;

    explicit Flex(std::vector<test::OnnxModel::Dim> const& keys = {1, 2, 3, 4}) {
        model.input("q", {1, 2, 3, 4});
        model.input("k", keys);
        model.import("ai.onnx.preview", 1);
        node = &model.node("FlexAttention", {"q", "k", "k"}, {"y"}, "flex");
        node->set_domain("ai.onnx.preview");
        test::attribute(*node, "scale", Proto::FLOAT).set_f(0.5F);
        model.output("y");
    }
    proto::GraphProto& graph(std::string const& name, std::string const& op, std::vector<std::string> const& inputs) {
        auto& body = *test::attribute(*node, name, Proto::GRAPH).mutable_g();
        body.set_name("g");
        body.add_input()->set_name("s");
        body.add_output()->set_name("t");
        auto& made = *body.add_node();
        made.set_op_type(op);
        for (auto const& input : inputs) made.add_input(input);
        made.add_output("t");
        return body;
    }
    std::string error() const {
        Graph parsed;
        auto const result = onnx::parse(test::asBytes(model.bytes()), parsed);
        return result.errors.empty() ? "" : result.errors.front().text;
    }
    std::vector<Literal> run(std::vector<Literal> const& inputs) const {
        Graph parsed;
        EXPECT_TRUE(onnx::parse(test::asBytes(model.bytes()), parsed));
        return test::runEngine(parsed, inputs);
    }
};

std::string const kFlex = "flex (FlexAttention, domain ai.onnx.preview, opset 1, node 0): ";

/// Y [H,S,D] of q [H,S,D] and, as key and value, k [H',T,D] in plain loops; `change` modifies a score, `weigh` a
/// weight.
template <class Change, class Weigh>
std::vector<float> plainly(Literal const& q, Literal const& k, Change const& change, Weigh const& weigh) {
    constexpr size_t kSteps = 3;
    constexpr size_t kSize = 4;
    auto const shared = static_cast<size_t>(q.dims()[1] / k.dims()[1]);
    auto const keys = static_cast<size_t>(k.dims()[2]);
    std::vector<float> y;
    for (size_t row = 0; row < static_cast<size_t>(q.dims()[1]) * kSteps; ++row) {
        std::vector<double> scores(keys, 0);
        double sum = 0;
        auto const key = [&](size_t t, size_t i) {
            return static_cast<double>(k.as<float>()[((row / kSteps / shared) * keys + t) * kSize + i]);
        };
        for (size_t t = 0; t < keys; ++t) {
            for (size_t i = 0; i < kSize; ++i) scores[t] += double{q.as<float>()[row * kSize + i]} * key(t, i) * 0.5;
            scores[t] = std::exp(change(scores[t]));
            sum += scores[t];
        }
        for (size_t i = 0; i < kSize; ++i) {
            double all = 0;
            for (size_t t = 0; t < keys; ++t) all += weigh(scores[t] / sum) * key(t, i);
            y.push_back(static_cast<float>(all));
        }
    }
    return y;
}

TEST(FlexAttentionOnnx, changesScoresAndWeightsByGraphsInside) {
    Literal const q = spread({1, 2, 3, 4}, -2, 2);
    Literal const k = spread({1, 1, 5, 4}, -1, 1);
    auto const same = [](double x) { return x; };
    auto const rectified = [](double x) { return std::max(x, 0.0); };
    auto const square = [](double x) { return x * x; };
    Flex scores({1, 1, 5, 4});
    scores.graph("score_mod", "Relu", {"s"});
    test::expectClose(scores.run({q, k}).at(0), test::floats({1, 2, 3, 4}, plainly(q, k, rectified, same)), 1e-5,
                      "score");
    Flex both({1, 1, 5, 4});
    both.graph("score_mod", "Relu", {"s"});
    both.graph("prob_mod", "Mul", {"s", "s"});
    test::expectClose(both.run({q, k}).at(0), test::floats({1, 2, 3, 4}, plainly(q, k, rectified, square)), 1e-5,
                      "both");
}

TEST(FlexAttentionOnnx, readsWhatIsAroundItsGraphs) { // y = the mean of the values if all scores become equal
    Flex flex;
    flex.model.floats("none", {}, {0});
    flex.graph("score_mod", "Mul", {"s", "none"});
    Literal const x = spread({1, 2, 3, 4}, -1, 1);
    std::vector<float> expected;
    for (size_t i = 0; i < 24; ++i) {
        float sum = 0;
        for (size_t t = 0; t < 3; ++t) sum += x.as<float>()[i / 12 * 12 + t * 4 + i % 4];
        expected.push_back(sum / 3);
    }
    test::expectClose(flex.run({x, x}).at(0), test::floats({1, 2, 3, 4}, expected), 1e-5, "mean");
}

TEST(FlexAttentionOnnx, refusesGraphsThatDoNotFit) {
    Flex reduces;
    reduces.graph("prob_mod", "ReduceMax", {"s"});
    EXPECT_EQ(reduces.error(),
              kFlex + "prob_mod returns float32 [1,1,1,1] for float32 [1,2,3,3]; expected the same type and shape");
    Flex compares;
    compares.graph("score_mod", "Equal", {"s", "s"});
    EXPECT_EQ(compares.error(),
              kFlex + "score_mod returns bool [1,2,3,3] for float32 [1,2,3,3]; expected the same type and shape");
    Flex two;
    two.graph("score_mod", "Relu", {"s"}).add_input()->set_name("u");
    EXPECT_EQ(two.error(), kFlex + "score_mod has 2 inputs and 1 outputs; expected one of each");
    Flex heads({1, 3, 3, 4});
    heads.graph("score_mod", "Relu", {"s"});
    EXPECT_EQ(heads.error(), kFlex + "the query has 2 heads, and 'k' 3; expected numbers that are known when the model "
                                     "is read, the first a multiple of the second");
}

TEST(FlexAttentionOnnx, refusesAQueryOfAnotherRank) {
    test::OnnxModel model(26);
    model.input("x", {});
    model.import("ai.onnx.preview", 1);
    model.node("FlexAttention", {"x", "x", "x"}, {"y"}, "flex").set_domain("ai.onnx.preview");
    model.output("y");
    Graph graph;
    auto const parsed = onnx::parse(test::asBytes(model.bytes()), graph);
    ASSERT_EQ(parsed.errors.size(), 1U);
    EXPECT_EQ(parsed.errors[0].text, kFlex + "input 0 'x' has shape []; expected rank 4");
}

} // namespace
} // namespace tenon
