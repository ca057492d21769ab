// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/linear_attention/linear_attention.h"

#include "support/layer_case.h"
#include "support/one_op.h"

#include <cmath>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;

/// By a formula: with all keys k = u / |u|² and queries q(t) = c(t) u, the state stays s(t) u · V, so that only one
/// number per column is carried from step to step. D elements, E columns.
struct Formula {
    int64_t batch = 2, steps = 5, heads = 4, keyHeads = 2, size, valueSize;
    enum class Decay { None, OfHead, OfRow } decay = Decay::None;
    int64_t betaHeads = 0;
    bool state = false;

    double u(int64_t d) const { return 0.3 + static_cast<double>(d * 7 % 11) / 10; }
    double square() const {
        double sum = 0;
        for (int64_t d = 0; d < size; ++d) sum += u(d) * u(d);
        return sum;
    }
    double v(int64_t n, int64_t t, int64_t h, int64_t e) const {
        return static_cast<double>((n + 3 * t + 5 * h + 2 * e) % 7 - 3) / 4;
    }
    double c(int64_t n, int64_t t, int64_t h) const { return static_cast<double>((n + t + 2 * h) % 5 - 2) / 2; }
    double g(int64_t n, int64_t t, int64_t h) const { return -static_cast<double>((n + t + h) % 3) / 4; }
    double b(int64_t n, int64_t t, int64_t h) const { return static_cast<double>(1 + (n + t + h) % 4) / 4; }
    double first(int64_t n, int64_t h, int64_t e) const { return static_cast<double>((n + h + e) % 5) / 2 - 1; }

    /// The number of the column after each step; the state is u / |u|² times it.
    std::vector<double> column(int64_t n, int64_t h, int64_t e) const {
        std::vector<double> all;
        double s = state ? first(n, h, e) : 0;
        for (int64_t t = 0; t < steps; ++t) {
            if (decay != Decay::None) s *= std::exp(g(n, t, h));
            double value = v(n, t, h, e);
            // Sᵀ k = s u / |u|² · u / |u|² = s / |u|²
            if (betaHeads != 0) value = b(n, t, h % betaHeads) * (value - s / square());
            all.push_back(s += value);
        }
        return all;
    }

    /// X [N,T,count]
    Literal rows(int64_t count, std::function<double(int64_t n, int64_t t, int64_t i)> const& at) const {
        std::vector<float> values;
        for (int64_t i = 0; i < batch * steps * count; ++i)
            values.push_back(static_cast<float>(at(i / count / steps, i / count % steps, i % count)));
        return floats({batch, steps, count}, values);
    }
    /// [N,H',D,E]
    Literal states(std::function<double(int64_t n, int64_t h, int64_t e)> const& at) const {
        std::vector<float> values;
        for (int64_t i = 0; i < batch * keyHeads * size * valueSize; ++i) {
            int64_t const head = i / valueSize / size;
            values.push_back(static_cast<float>(at(head / keyHeads, head % keyHeads, i % valueSize) *
                                                u(i / valueSize % size) / square()));
        }
        return floats({batch, keyHeads, size, valueSize}, values);
    }

    LayerCase test() const {
        LayerCase test;
        test.inputs.resize(LinearAttention::kInputs);
        test.inputs[0] =
            rows(heads * size, [&](int64_t n, int64_t t, int64_t i) { return c(n, t, i / size) * u(i % size); });
        test.inputs[1] = rows(keyHeads * size, [&](int64_t, int64_t, int64_t i) { return u(i % size) / square(); });
        test.inputs[2] = rows(keyHeads * valueSize,
                              [&](int64_t n, int64_t t, int64_t i) { return v(n, t, i / valueSize, i % valueSize); });
        if (state) test.inputs[3] = states([&](int64_t n, int64_t h, int64_t e) { return first(n, h, e); });
        int64_t const decays = decay == Decay::OfRow ? size : 1;
        if (decay != Decay::None)
            test.inputs[4] =
                rows(keyHeads * decays, [&](int64_t n, int64_t t, int64_t i) { return g(n, t, i / decays); });
        if (betaHeads != 0)
            test.inputs[5] = rows(betaHeads, [&](int64_t n, int64_t t, int64_t i) { return b(n, t, i); });
        while (test.inputs.back().data() == nullptr) test.inputs.pop_back();
        test.expected = {rows(heads * valueSize,
                              [&](int64_t n, int64_t t, int64_t i) {
                                  int64_t const h = i / valueSize;
                                  double const s =
                                      column(n, h * keyHeads / heads, i % valueSize)[static_cast<size_t>(t)];
                                  return c(n, t, h) * s / std::sqrt(static_cast<double>(size));
                              }),
                         states([&](int64_t n, int64_t h, int64_t e) { return column(n, h, e).back(); })};
        return test;
    }

    void expect() const {
        LinearAttention layer;
        layer.heads = heads;
        layer.keyHeads = keyHeads;
        test().expect(layer);
        for (DataType type : {DataType::Float16, DataType::BFloat16}) test().in(type).expect(layer);
    }
};

TEST(LinearAttention, takesHeadsOfAnySize) {
    for (int64_t const size : {1, 8, 33, 64, 100, 128, 200, 300}) {
        Formula{.size = size, .valueSize = 8}.expect();
        Formula{.size = 8, .valueSize = size, .decay = Formula::Decay::OfHead}.expect();
    }
}

TEST(LinearAttention, decaysCorrectsAndGoesOnFromAState) {
    for (auto const decay : {Formula::Decay::None, Formula::Decay::OfHead, Formula::Decay::OfRow}) {
        for (int64_t const betaHeads : {0, 1, 2}) {
            for (bool const state : {false, true})
                Formula{.size = 20, .valueSize = 18, .decay = decay, .betaHeads = betaHeads, .state = state}.expect();
        }
    }
    Formula{.heads = 6, .keyHeads = 1, .size = 4, .valueSize = 5, .betaHeads = 1, .state = true}.expect();
    Formula{.batch = 1, .steps = 1, .heads = 1, .keyHeads = 1, .size = 64, .valueSize = 64, .state = true}.expect();
}

TEST(LinearAttention, scalesByANumberAndKeepsTheTypeOfStates) { // by hand: S = 1·4, y = 2 · 3 · (S + state)
    LinearAttention layer;
    layer.scale = 2;
    auto const state = [](float x) {
        return LayerCase{.inputs = {floats({1, 1, 1, 1}, {x})}, .expected = {}}.in(DataType::Float16).inputs[0];
    };
    LayerCase test{.inputs = {floats({1, 1, 1}, {3}), floats({1, 1, 1}, {1}), floats({1, 1, 1}, {4}), state(0.5F)},
                   .expected = {floats({1, 1, 1}, {27}), state(4.5F)}};
    test.expect(layer);
}

std::string error(std::vector<Shape> const& shapes, LinearAttention const& layer) {
    std::vector<test::Input> inputs;
    for (Shape const& shape : shapes) inputs.push_back({DataType::Float32, shape});
    return test::inferError(layer, inputs);
}

TEST(LinearAttention, refusesShapesThatDoNotMatch) {
    LinearAttention layer;
    layer.heads = 4;
    layer.keyHeads = 2;
    Shape const query{1, 3, 32};
    Shape const key{1, 3, 16};
    EXPECT_EQ(error({{1, 3, 30}, key, key}, layer),
              "node (LinearAttention): the query [1,3,30]; expected a multiple of 4 elements, the number of heads");
    EXPECT_EQ(error({query, query, key}, layer), "node (LinearAttention): the key [1,3,32]; expected [1,3,16]");
    EXPECT_EQ(error({query, key, key, {1, 2, 8, 7}}, layer),
              "node (LinearAttention): the state [1,2,8,7]; expected [1,2,8,8]");
    EXPECT_EQ(error({query, key, key, {1, 2, 8, 8}, {1, 3, 4}}, layer),
              "node (LinearAttention): the decay [1,3,4]; expected [1,3,2]");
    layer.heads = 3;
    EXPECT_EQ(error({query, key, key}, layer), "node (LinearAttention): 3 heads of the query and 2 of the key; "
                                               "expected 1 or more, and a multiple for the query");
}

TEST(LinearAttentionOnnx, refusesInputsThatItsRuleDoesNotHave) {
    auto const errorOf = [](std::string const& rule, std::vector<Literal> inputs) {
        return test::OneOp{
            .op = "LinearAttention",
            .opset = 27,
            .attributes = {{"update_rule", rule}, {"q_num_heads", int64_t{1}}, {"kv_num_heads", int64_t{1}}},
            .inputs = std::move(inputs),
            .outputs = 2}
            .error();
    };
    Literal const x = spread({1, 2, 3}, -1, 1);
    Literal const one = spread({1, 2, 1}, -1, 1);
    std::string const node = "node (LinearAttention, opset 27, node 0): ";
    EXPECT_EQ(errorOf("gated", {x, x, x}), node + "update_rule is \"gated\", which needs input decay");
    EXPECT_EQ(errorOf("gated", {x, x, x, {}, one, one}), node + "update_rule is \"gated\", which has no input beta");
    EXPECT_EQ(errorOf("linear", {x, x, x, {}, one}), node + "update_rule is \"linear\", which has no input decay");
    EXPECT_EQ(errorOf("rwkv", {x, x, x}),
              node + "update_rule is \"rwkv\"; expected linear, gated, delta or gated_delta");
}

} // namespace
} // namespace tenon
