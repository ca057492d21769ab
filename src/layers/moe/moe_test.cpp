// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "base/text.h"
#include "support/layer_case.h"
#include "support/tested_device.h"

#include <cmath>

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

// x = 1: gate 3 + 1 cut to 2, up -5 cut to -2, and 1: 2 / (1 + e^-1) · (-2 + 1) · 4 + 0.5
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

/// Y in plain loops of silu(x G + g) · (x U + u) through D + d.
LayerCase formula(Dims const& leading, int64_t size, int64_t inner, int64_t experts, int64_t chosen) {
    auto const dims = [&](int64_t last) {
        Dims all = leading;
        all.push(last);
        return all;
    };
    int64_t const tokens = leading.volume();
    std::vector<int32_t> selected;
    for (int64_t i = 0; i < tokens * chosen; ++i) selected.push_back(static_cast<int32_t>(i * i % 7 * 3 % experts));
    float const range = 2 / std::sqrt(static_cast<float>(size));
    LayerCase made{.inputs = {spread(dims(size), -1, 1), choices(dims(chosen), selected), spread(dims(chosen), 0, 1),
                              spread({experts, size, inner}, -range, range),
                              spread({experts, size, inner}, -range, 1.5F * range),
                              spread({experts, inner, size}, -range, range), spread({experts, inner}, -1, 1),
                              spread({experts, inner}, -1, 0.5F), spread({experts, size}, -1, 1)},
                   .expected = {},
                   .tolerance = 3e-5};
    auto const number = [&](size_t input, int64_t at) {
        return static_cast<double>(made.inputs[input].as<float>()[static_cast<size_t>(at)]);
    };
    auto const hiddenOf = [&](int64_t token, int64_t expert, int64_t h) {
        double gate = number(Moe::kGateBias, expert * inner + h);
        double up = number(Moe::kUpBias, expert * inner + h);
        for (int64_t c = 0; c < size; ++c) {
            gate += number(Moe::kX, token * size + c) * number(Moe::kGate, (expert * size + c) * inner + h);
            up += number(Moe::kX, token * size + c) * number(Moe::kUp, (expert * size + c) * inner + h);
        }
        return gate / (1 + std::exp(-gate)) * up;
    };
    std::vector<double> y(static_cast<size_t>(tokens * size), 0);
    for (int64_t i = 0; i < tokens * chosen; ++i) {
        int64_t const expert = selected[static_cast<size_t>(i)];
        double* const to = y.data() + i / chosen * size;
        for (int64_t c = 0; c < size; ++c) to[c] += number(Moe::kScores, i) * number(Moe::kDownBias, expert * size + c);
        for (int64_t h = 0; h < inner; ++h) {
            double const hidden = number(Moe::kScores, i) * hiddenOf(i / chosen, expert, h);
            for (int64_t c = 0; c < size; ++c) to[c] += hidden * number(Moe::kDown, (expert * inner + h) * size + c);
        }
    }
    made.expected = {floats(dims(size), {y.begin(), y.end()})};
    return made;
}

Moe silu() {
    Moe layer;
    layer.activation = Moe::Activation::Silu;
    return layer;
}

TEST(Moe, takesManyTokensAndExperts) {
    formula({2, 5}, 16, 32, 3, 2).expect(silu());
    formula({1, 3}, 5, 7, 4, 1).expect(silu());     // no multiples of a vector
    formula({300}, 32, 80, 2, 2).expect(silu());    // many rows an expert
    formula({2, 9}, 64, 272, 40, 4).expect(silu()); // experts that nobody chose
}

TEST(Moe, isComputedIn16BitsToo) {
    formula({2, 5}, 16, 32, 3, 2).in(DataType::Float16).expect(silu());
    formula({2, 5}, 16, 32, 3, 2).in(DataType::BFloat16).expect(silu());
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
    std::string const beside = " beside the hidden states [2,3,4] and the gate weights [5,4,6]";
    EXPECT_EQ(error(Moe::kExperts, {DataType::Int64, {2, 3, 2}}),
              "node (Moe): the selected experts are int64; expected int32");
    EXPECT_EQ(error(Moe::kExperts, {DataType::Int32, {2, 2}}),
              "node (Moe): the selected experts have shape [2,2]; expected [2,3,2]" + beside);
    EXPECT_EQ(error(Moe::kScores, {kFloat, {2, 3, 1}}),
              "node (Moe): the scores have shape [2,3,1]; expected [2,3,2]" + beside);
    EXPECT_EQ(error(Moe::kDown, {kFloat, {5, 4, 6}}),
              "node (Moe): the down weights have shape [5,4,6]; expected [5,6,4]" + beside);
    EXPECT_EQ(error(Moe::kUp, {DataType::Float16, {5, 4, 6}}),
              "node (Moe): the hidden states is float32 and the up weights is float16; they must be of one type (add a "
              "cast)");
    Moe layer;
    layer.limit = -1;
    EXPECT_EQ(
        error(Moe::kScores, fitting[Moe::kScores], layer),
        "node (Moe): has limit -1, alpha 1 and beta 0; expected a limit above 0 (or 0: none), and finite numbers");
}

} // namespace
} // namespace tenon
