// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using test::spread;

Literal choices(Dims const& dims, std::vector<int32_t> const& values) { return Literal::of(dims, values); }

// two tokens 2 and 3; expert 0: 10 x · x · 1, expert 1: x · 2 x · 3
TEST(Moe, sumsWhatTheChosenExpertsMakeByTheirScores) {
    LayerCase{.inputs = {floats({2, 1}, {2, 3}), choices({2, 2}, {0, 1, 1, 1}), floats({2, 2}, {0.5F, 2, 1, 0.5F}),
                         floats({2, 1, 1}, {10, 1}), floats({2, 1, 1}, {1, 2}), floats({2, 1, 1}, {1, 3})},
              .expected = {floats({2, 1}, {0.5F * 40 + 2 * 24, 1.5F * 54})}}
        .expect(Moe{});
}

// x = 1: gate 3 + 1 clamped to 2, up -5 clamped to -2, and 1: 2 / (1 + e^-1) · (-2 + 1) · 4 + 0.5
TEST(Moe, gatesWithLimitsAndBiases) {
    Moe layer;
    layer.activation = Moe::Activation::Silu;
    layer.limit = 2;
    layer.alpha = 0.5;
    layer.beta = 1;
    LayerCase{.inputs = {floats({1, 1}, {1}), choices({1, 1}, {0}), floats({1, 1}, {1}), floats({1, 1, 1}, {3}),
                         floats({1, 1, 1}, {-5}), floats({1, 1, 1}, {4}), floats({1, 1}, {1}), floats({1, 1}, {0}),
                         floats({1, 1}, {0.5F})},
              .expected = {floats({1, 1}, {-2 / (1 + std::exp(-1.0F)) * 4 + 0.5F})}}
        .expect(layer);
}

using Row = std::vector<double>;

/// Inputs of a layer with all biases: numbers between the bounds of each.
struct Sizes {
    Dims leading;
    int64_t size, inner, experts, chosen;
};
std::vector<Literal> randomInputs(Sizes const& s) {
    auto const dims = [&](int64_t last) {
        Dims all = s.leading;
        all.push(last);
        return all;
    };
    std::vector<int32_t> selected;
    for (int64_t i = 0; i < s.leading.volume() * s.chosen; ++i)
        selected.push_back(static_cast<int32_t>(i * i % 7 * 3 % s.experts));
    float const range = 2 / std::sqrt(static_cast<float>(s.size));
    return {spread(dims(s.size), -1, 1),
            choices(dims(s.chosen), selected),
            spread(dims(s.chosen), 0, 1),
            spread({s.experts, s.size, s.inner}, -range, range),
            spread({s.experts, s.size, s.inner}, -range, 1.5F * range),
            spread({s.experts, s.inner, s.size}, -range, range),
            spread({s.experts, s.inner}, -1, 1),
            spread({s.experts, s.inner}, -1, 0.5F),
            spread({s.experts, s.size}, -1, 1)};
}

/// The case of these inputs, with Y by plain loops: act(x G + g) · (x U + u), quantized, through D + d.
LayerCase formula(
    std::vector<Literal> inputs, std::function<double(double)> const& act,
    std::function<void(Row&)> const& round = [](Row&) {}) {
    auto const number = [&](size_t input, int64_t at) {
        return static_cast<double>(inputs[input].as<float>()[static_cast<size_t>(at)]);
    };
    Dims const& down = inputs[Moe::kDown].dims();
    int64_t const inner = down[1];
    int64_t const size = down[2];
    auto const hiddenOf = [&](int64_t token, int64_t expert) {
        Row all;
        for (int64_t h = 0; h < inner; ++h) {
            double gate = number(Moe::kGateBias, expert * inner + h);
            double up = number(Moe::kUpBias, expert * inner + h);
            for (int64_t c = 0; c < size; ++c) {
                gate += number(Moe::kX, token * size + c) * number(Moe::kGate, (expert * size + c) * inner + h);
                up += number(Moe::kX, token * size + c) * number(Moe::kUp, (expert * size + c) * inner + h);
            }
            all.push_back(act(gate) * up);
        }
        round(all);
        return all;
    };
    auto const selected = inputs[Moe::kExperts].as<int32_t>();
    Dims const& x = inputs[Moe::kX].dims();
    int64_t const chosen = inputs[Moe::kExperts].dims()[x.rank() - 1];
    Row y(static_cast<size_t>(x.volume()), 0);
    for (int64_t i = 0; i < static_cast<int64_t>(selected.size()); ++i) {
        int64_t const expert = selected[static_cast<size_t>(i)];
        double* const to = y.data() + i / chosen * size;
        for (int64_t c = 0; c < size; ++c) to[c] += number(Moe::kScores, i) * number(Moe::kDownBias, expert * size + c);
        Row const all = hiddenOf(i / chosen, expert);
        for (int64_t h = 0; h < inner; ++h) {
            double const hidden = number(Moe::kScores, i) * all[static_cast<size_t>(h)];
            for (int64_t c = 0; c < size; ++c) to[c] += hidden * number(Moe::kDown, (expert * inner + h) * size + c);
        }
    }
    Literal const expected = floats(x, {y.begin(), y.end()});
    return {.inputs = std::move(inputs), .expected = {expected}, .tolerance = 3e-5};
}

LayerCase formula(Dims const& leading, int64_t size, int64_t inner, int64_t experts, int64_t chosen) {
    return formula(randomInputs({leading, size, inner, experts, chosen}),
                   [](double gate) { return gate / (1 + std::exp(-gate)); });
}

Moe silu() {
    Moe layer;
    layer.activation = Moe::Activation::Silu;
    return layer;
}

TEST(Moe, takesManyTokensAndExperts) {
    formula({2, 5}, 16, 32, 3, 2).expect(silu());
    formula({1, 3}, 5, 7, 4, 1).expect(silu());     // not multiples of a vector
    formula({300}, 32, 80, 2, 2).expect(silu());    // many rows per expert
    formula({2, 9}, 64, 272, 40, 4).expect(silu()); // experts that are not selected
}

TEST(Moe, isComputedIn16BitsToo) {
    formula({2, 5}, 16, 32, 3, 2).in(DataType::Float16).expect(silu());
    formula({2, 5}, 16, 32, 3, 2).in(DataType::BFloat16).expect(silu());
}

Moe rounding(DataType to, DataType scaleType = DataType::Float32, std::vector<int64_t> blocks = {}) {
    Moe layer;
    layer.quantizeTo = to;
    layer.scaleType = scaleType;
    layer.blocks = std::move(blocks);
    return layer;
}

/// One token 1 and one expert, so that the products are these, and the decimal digits of Y show the result of each.
LayerCase oneToken(std::vector<float> const& products, std::vector<float> const& down, float scale, float expected) {
    auto const inner = static_cast<int64_t>(products.size());
    return {.inputs = {floats({1, 1}, {1}), choices({1, 1}, {0}), floats({1, 1}, {1}),
                       floats({1, 1, inner}, std::vector<float>(products.size(), 1)), floats({1, 1, inner}, products),
                       floats({1, inner, 1}, down), Literal(), Literal(), Literal(), floats({}, {scale})},
            .expected = {floats({1, 1}, {expected})}};
}

// products / scale, rounded to the type: neighbors are 1/8 of a power of two apart, or 1/2
TEST(Moe, roundsProductsByAGivenScale) {
    // 17 is between 16 and 18, 19 between 18 and 20: ties to even; 1000 is more than 448
    oneToken({34, 38, -2000}, {1, 100, 1}, 2, 2 * (16 + 2000 - 448)).expect(rounding(DataType::Float8));
    // 2.5 is between 2 and 3, 3.5 between 3 and 4; 7 is more than 6
    oneToken({1.25F, -1.75F, 3.5F}, {1, 10, 100}, 0.5F, 0.5F * (2 - 40 + 600)).expect(rounding(DataType::Float4));
}

// scale = maximum / 6 / scale of scales, rounded, times the scale of scales
TEST(Moe, roundsProductsInBlocksWithScalesThatItFinds) {
    Moe const layer = rounding(DataType::Float4, DataType::Float8, {1, 1, 2});
    // 12 / 6 / 0.5 = 4, so 2: 12 and 1.5 · 2; 6.5 / 6 / 0.5 = 2.17 is 2.25, so 1.125: -6 · 1.125 and 3 · 1.125
    oneToken({12, 3, -6.5F, 2.9F}, {1, 10, 100, 1000}, 0.5F, 12 + 30 - 675 + 3375).expect(layer);
    // the last block is shorter: 3 / 6 / 0.5 = 1, so 0.5; a block of zeros stays zero
    oneToken({12, 3, 3}, {1, 10, 100}, 0.5F, 12 + 30 + 300).expect(layer);
    oneToken({0, 0, 3}, {1, 10, 100}, 0.5F, 300).expect(layer);
    // one block: all have the scale of 12
    Moe const whole = rounding(DataType::Float4, DataType::Float8, {1, 1, -1});
    oneToken({12, 3, 0.9F, 2.2F}, {1, 10, 100, 1000}, 0.5F, 12 + 30 + 100 + 2000).expect(whole);
}

// 900 / 448 = 2.01, so 4: 225 is between 224 and 240
TEST(Moe, findsScalesThatArePowersOfTwo) {
    oneToken({900, 4}, {1, 1000}, 1, 896 + 4000).expect(rounding(DataType::Float8, DataType::E8M0, {1, 1, 2}));
}

/// The number nearest to x of a type with that many mantissa bits and this least exponent, ties to even.
double nearest(double x, int leastExponent, int mantissa, double most) {
    int exponent = 0; // of |x| in [0.5,1) · 2^exponent
    std::frexp(x, &exponent);
    double const step = std::ldexp(1, std::max(exponent - 1, leastExponent) - mantissa);
    return std::clamp(std::nearbyint(x / step) * step, -most, most);
}
double nearestFloat8(double x) { return nearest(x, -6, 3, 448); }
double nearestFloat4(double x) { return nearest(x, 0, 1, 6); }

void roundInBlocks(Row& row, size_t size, double outer) {
    for (size_t at = 0; at < row.size(); at += size) {
        auto const block = std::span(row).subspan(at, std::min(size, row.size() - at));
        double most = 0;
        for (double const h : block) most = std::max(most, std::abs(h));
        double const scale = nearestFloat8(most / 6 / outer) * outer;
        for (double& h : block) h = scale == 0 ? 0 : nearestFloat4(h / scale) * scale;
    }
}

/// Integers, so that the products are exact on every device and round to the same.
std::vector<Literal> wholeInputs(Sizes const& s, float scale) {
    std::vector<Literal> inputs = randomInputs(s);
    for (Literal& input : inputs) {
        if (input.type() != DataType::Float32) continue;
        std::vector<float> whole;
        for (float const x : spread(input.dims(), -2, 2).toFloat()) whole.push_back(std::round(x));
        input = floats(input.dims(), whole);
    }
    inputs.push_back(floats({}, {scale}));
    return inputs;
}

void expectRounded(Sizes const& sizes, float scale, Moe const& layer, std::function<void(Row&)> const& round) {
    LayerCase made = formula(
        wholeInputs(sizes, scale), [](double gate) { return gate; }, round);
    made.expect(layer);
    if (!testing::Test::HasFailure()) made.in(DataType::Float16).expect(layer);
}

TEST(Moe, roundsTheProductsOfManyTokensAndExperts) {
    auto const given = [](Row& row) {
        for (double& h : row) h = nearestFloat8(h / 0.25) * 0.25;
    };
    auto const inBlocksOf = [](size_t size) { return [=](Row& row) { roundInBlocks(row, size, 0.125); }; };
    auto const blocks = [](std::vector<int64_t> shape) {
        return rounding(DataType::Float4, DataType::Float8, std::move(shape));
    };
    expectRounded({{2, 5}, 16, 32, 3, 2}, 0.25F, rounding(DataType::Float8), given);
    expectRounded({{90}, 16, 80, 2, 2}, 0.25F, rounding(DataType::Float8), given); // many rows per expert
    expectRounded({{2, 5}, 16, 32, 3, 2}, 0.125F, blocks({1, 1, 1, 16}), inBlocksOf(16));
    expectRounded({{90}, 16, 80, 2, 2}, 0.125F, blocks({1, 1, 32}), inBlocksOf(32)); // with a remainder of 16
    expectRounded({{2, 9}, 16, 272, 40, 4}, 0.125F, blocks({1, 1, 1, -1}), inBlocksOf(272));
    expectRounded({{1, 3}, 5, 7, 4, 1}, 0.125F, blocks({1, 1, 1, 3}), inBlocksOf(3)); // not multiples of a vector
}

TEST(Moe, roundsByAScaleOfAnotherTypeThanItsNumbers) {
    LayerCase made = oneToken({34, 38, -2000}, {1, 100, 1}, 2, 2 * (16 + 2000 - 448));
    Literal const scale = made.inputs[Moe::kScale];
    made.inputs[Moe::kScale] = made.in(DataType::BFloat16).inputs[Moe::kScale];
    made.expect(rounding(DataType::Float8));
    made = made.in(DataType::Float16);
    made.inputs[Moe::kScale] = scale;
    made.expect(rounding(DataType::Float8));
}

TEST(Moe, refusesAnExpertThatThereIsNot) {
    if (test::testedBackend().device() != Device::Cpu) GTEST_SKIP() << "a GPU says nothing and gives zeros";
    for (int32_t const expert : {-1, 2}) {
        LayerCase made = formula({1, 2}, 16, 16, 2, 1);
        made.inputs[Moe::kExperts] = choices({1, 2, 1}, {0, expert});
        EXPECT_EQ(test::errorOf([&] { made.expectFed(silu()); }),
                  text("node (Moe): expert ", expert, " is selected; there are 2, counted from 0"));
    }
}

TEST(Moe, refusesWhatDoesNotFit) {
    using test::Input;
    constexpr auto kFloat = DataType::Float32;
    std::vector<Input> const fitting{{kFloat, {2, 3, 4}}, {DataType::Int32, {2, 3, 2}}, {kFloat, {2, 3, 2}},
                                     {kFloat, {5, 4, 6}}, {kFloat, {5, 4, 6}},          {kFloat, {5, 6, 4}}};
    auto const error = [&](size_t input, Input const& wrong, Moe const& layer = {}) {
        auto inputs = fitting;
        inputs[input] = wrong;
        return test::inferError(layer, inputs);
    };
    std::string const beside = " for the hidden states [2,3,4] and the gate weights [5,4,6]";
    EXPECT_EQ(error(Moe::kExperts, {DataType::Int64, {2, 3, 2}}),
              "node (Moe): the selected experts are int64; expected int32");
    EXPECT_EQ(error(Moe::kExperts, {DataType::Int32, {2, 2}}),
              "node (Moe): the selected experts have shape [2,2]; expected [2,3,2]" + beside);
    EXPECT_EQ(error(Moe::kScores, {kFloat, {2, 3, 1}}),
              "node (Moe): the scores have shape [2,3,1]; expected [2,3,2]" + beside);
    EXPECT_EQ(error(Moe::kDown, {kFloat, {5, 4, 6}}),
              "node (Moe): the down weights have shape [5,4,6]; expected [5,6,4]" + beside);
    EXPECT_EQ(error(Moe::kUp, {DataType::Float16, {5, 4, 6}}),
              "node (Moe): the hidden states is float32 and the up weights is float16; expected one type (add a cast)");
    Moe layer;
    layer.limit = -1;
    EXPECT_EQ(
        error(Moe::kScores, fitting[Moe::kScores], layer),
        "node (Moe): has limit -1, alpha 1 and beta 0; expected a limit above 0 (or 0: none), and finite numbers");
}

TEST(Moe, saysWhatIsMissingOrWrongOfItsRounding) {
    using test::Input;
    constexpr auto kFloat = DataType::Float32;
    constexpr auto kNone = DataType::Float32;
    auto const error = [&](Moe const& layer, Shape const& scale = {}, DataType type = DataType::Float32) {
        Input const biases{kFloat, {5, 6}};
        return test::inferError(layer, {{kFloat, {2, 3, 4}},
                                        {DataType::Int32, {2, 3, 2}},
                                        {kFloat, {2, 3, 2}},
                                        {kFloat, {5, 4, 6}},
                                        {kFloat, {5, 4, 6}},
                                        {kFloat, {5, 6, 4}},
                                        biases,
                                        biases,
                                        {kFloat, {5, 4}},
                                        {type, scale}});
    };
    EXPECT_EQ(error(Moe{}), "node (Moe): has the scale of the products, but the type to quantize to is missing; "
                            "expected float8 or float4");
    EXPECT_EQ(error(rounding(DataType::Int8)), "node (Moe): quantizes to int8; expected float8 or float4");
    EXPECT_EQ(error(rounding(DataType::Float8), {5}),
              "node (Moe): the scale of the products has shape [5]; expected one element");
    EXPECT_EQ(error(rounding(DataType::Float8), {}, DataType::Int32),
              "node (Moe): the scale of the products is int32; expected float32, float16 or bfloat16");
    EXPECT_EQ(error(rounding(DataType::Float4, kNone, {1, 1, 1, 16})),
              "node (Moe): quantizes in blocks of [1,1,1,16], but the type of their scales is missing; expected float8 "
              "or e8m0");
    EXPECT_EQ(error(rounding(DataType::Float4, DataType::Float16, {1, 1, 1, 16})),
              "node (Moe): has scales of type float16; expected float8 or e8m0");
    std::string const expected = "; expected [1,1,1,n], n products along the last axis, 1 or more, or -1 for all";
    EXPECT_EQ(error(rounding(DataType::Float4, DataType::Float8)),
              "node (Moe): has scales of type float8, but their blocks are missing" + expected);
    for (std::vector<int64_t> const& blocks : std::vector<std::vector<int64_t>>{
             {1, 16}, {1, 1, 2, 16}, {1, 1, -1, 16}, {1, 1, 1, 0}, {1, 1, 1, -2}, {1, 1, 1, 1, 16}})
        EXPECT_EQ(error(rounding(DataType::Float4, DataType::Float8, blocks)),
                  text("node (Moe): quantizes in blocks of ", Shape(blocks.begin(), blocks.end()), expected));
}

} // namespace
} // namespace tenon
