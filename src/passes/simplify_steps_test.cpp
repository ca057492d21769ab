// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/simplify_steps.h"

#include "base/text.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon {
namespace {

using enum PointwiseOp;
using Steps = std::vector<PointwiseStep>;

float run(Steps const& steps, std::vector<float> values) {
    for (PointwiseStep const& step : steps)
        values.push_back(
            compute(step, values[static_cast<size_t>(step.a)], step.b < 0 ? 0 : values[static_cast<size_t>(step.b)]));
    return values.back();
}

std::string printed(Steps const& steps) {
    std::string all;
    for (PointwiseStep const& step : steps) all += text(all.empty() ? "" : " ", step.op);
    return all;
}

/// The remaining steps, after comparing their results with those of the given ones.
std::string simplified(Steps steps, int inputs = 1, std::vector<std::optional<double>> const& numbers = {}) {
    Steps const before = steps;
    simplifySteps(steps, inputs, numbers);
    checkSteps(steps, inputs);
    for (float x : {-7.0F, -3.0F, -1.5F, -0.2F, 0.0F, 0.4F, 1.0F, 2.9F, 5.0F, 8.0F}) {
        std::vector<float> values;
        for (int i = 0; i < inputs; ++i) {
            bool const isNumber = static_cast<size_t>(i) < numbers.size() && numbers[static_cast<size_t>(i)];
            values.push_back(isNumber ? static_cast<float>(*numbers[static_cast<size_t>(i)])
                                      : x + 2 * static_cast<float>(i));
        }
        float const expected = run(before, values);
        EXPECT_NEAR(run(steps, values), expected, 2e-6 * (1 + std::abs(expected))) << "x = " << x;
    }
    return printed(steps);
}

TEST(SimplifySteps, joinsAffineFunctionsWhereThisIsExact) {
    EXPECT_EQ(simplified({{Affine, 0, -1, 3, 0}, {Affine, 1, -1, 1, 5}}), "Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 2, 0}, {Affine, 1, -1, 3, -1}}), "Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.3, 0}, {Neg, 1}}), "Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 3, 0}, {Affine, 1, -1, 5, 0}}), "Affine Affine"); // 3 x is rounded
    EXPECT_EQ(simplified({{Affine, 0, -1, 2, 1}, {Affine, 1, -1, 3, -1}}), "Affine Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 7}, {Affine, 1, -1, 1, -7}}), "Affine Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 0}, {Relu, 1}, {Affine, 2, -1, 1, 0}}), "Relu");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 0}}), "Affine");                                 // one step must be left
    EXPECT_EQ(simplified({{Affine, 0, -1, 2, 0}, {Affine, 1, -1, 0.5, 0}}), "Affine Affine"); // 2 x may overflow
}

TEST(SimplifySteps, keepsWhatIsReadTwice) {
    EXPECT_EQ(simplified({{Affine, 0, -1, 2, 1}, {Affine, 1, -1, 3, 0}, {Sum, 1, 2}}), "Affine Affine Sum");
}

TEST(SimplifySteps, recognisesSoftCaps) {
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.5, 0}, {Tanh, 1}, {Affine, 2, -1, 2, 0}}), "ScaledTanh");
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.5, 1}, {Tanh, 1}, {Affine, 2, -1, 2, 0}}), "Affine Tanh Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.5, 0}, {Tanh, 1}, {Affine, 2, -1, 2, 1}}), "Affine Tanh Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.5, 0}, {Tanh, 1}, {Affine, 2, -1, 2, 0}, {Sum, 3, 2}}),
              "Affine Tanh Affine Sum");
}

TEST(SimplifySteps, joinsRanges) {
    EXPECT_EQ(simplified({{Relu, 0}, {Clip, 1, -1, -1, 6}}), "Clip");
    EXPECT_EQ(simplified({{Clip, 0, -1, -2, 2}, {Relu, 1}}), "Clip");
    EXPECT_EQ(simplified({{Clip, 0, -1, 3, 5}, {Clip, 1, -1, -1, 1}}), "Clip"); // the number 1
}

TEST(SimplifySteps, dropsWhatNobodyReads) { EXPECT_EQ(simplified({{Exp, 0}, {Relu, 0}, {Abs, 0}}), "Abs"); }

TEST(SimplifySteps, recognisesHardSwish) {
    // x * clip(x + 3, 0, 6) / 6
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 1, -1, 0, 6}, {Prod, 0, 2}, {Affine, 3, -1, 1 / 6., 0}}),
              "HardSwish");
    // 2 (x (clip(x + 3, 0, 6) / 6)) + 1
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3},
                          {Clip, 1, -1, 0, 6},
                          {Affine, 2, -1, 1 / 6., 0},
                          {Prod, 3, 0},
                          {Affine, 4, -1, 2, 1}}),
              "HardSwish Affine");
    EXPECT_EQ(simplified({{HardSigmoid, 0, -1, 1 / 6.F, 0.5}, {Prod, 1, 0}}), "HardSwish");
    EXPECT_EQ(simplified({{HardSigmoid, 0, -1, 0.2, 0.5}, {Prod, 1, 0}}), "HardSigmoid Prod"); // another function
    EXPECT_EQ(simplified({{HardSigmoid, 0, -1, 1 / 6.F, 0.5}, {Prod, 1, 2 - 1}}), "HardSigmoid Prod"); // its square
}

TEST(SimplifySteps, recognisesHardSigmoid) { // clip(0.2 x + 0.5, 0, 1)
    EXPECT_EQ(simplified({{Affine, 0, -1, 0.2, 0.5}, {Clip, 1, -1, 0, 1}}), "HardSigmoid");
    // (x + 3) / 6 keeps more digits near -3 than x / 6 + 0.5
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 1, -1, 0, 6}, {Affine, 2, -1, 1 / 6., 0}}),
              "Affine Clip Affine");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, -0.5}, {Clip, 1, -1, 0, INFINITY}, {Affine, 2, -1, 2, 0}}),
              "Affine Clip Affine");
}

TEST(SimplifySteps, recognisesMultiplesWhereNothingFollows) {
    double const root = 1 / std::sqrt(2.F);
    Steps steps{{Affine, 0, -1, root, 0}, {Erf, 1}, {Affine, 2, -1, 1, 1}, {Prod, 0, 3}};
    EXPECT_EQ(simplified(steps), "Affine Erf Affine Prod"); // a factor of 1/2 may follow
    recogniseMultiples(steps, 1);
    checkSteps(steps, 1);
    EXPECT_EQ(printed(steps), "GeluErf Affine");
    EXPECT_NEAR(run(steps, {1}), 2 * 0.841344746, 1e-6);
}

TEST(SimplifySteps, recognisesFunctionsThatAreDivided) {
    // x * clip(x + 3, 0, 6) / 6
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 2, -1, 0, 6}, {Prod, 0, 3}, {Div, 4, 1}}, 2, {{}, 6.0}),
              "HardSwish");
    // x * (clip(x + 3, 0, 6) / 6)
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 2, -1, 0, 6}, {Div, 3, 1}, {Prod, 0, 4}}, 2, {{}, 6.0}),
              "HardSwish");
    // x (1 + erf(x / 1.4142135)) / 2
    double const root = std::sqrt(2.F);
    EXPECT_EQ(simplified({{Div, 0, 1}, {Erf, 2}, {Affine, 3, -1, 1, 1}, {Prod, 0, 4}, {Affine, 5, -1, 0.5, 0}}, 2,
                         {{}, root}),
              "GeluErf");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 2, -1, 0, 6}, {Prod, 0, 3}, {Div, 4, 1}}, 2, {{}, 5.0}),
              "Affine Clip Prod Div"); // another function
    EXPECT_EQ(simplified({{Affine, 0, -1, 1, 3}, {Clip, 2, -1, 0, 6}, {Prod, 0, 3}, {Div, 4, 1}}, 2),
              "Affine Clip Prod Div"); // of another input
}

TEST(SimplifySteps, recognisesSwish) {
    EXPECT_EQ(simplified({{Sigmoid, 0}, {Prod, 0, 1}}), "Swish");
    EXPECT_EQ(simplified({{Affine, 0, -1, 1.702, 0}, {Sigmoid, 1}, {Prod, 2, 0}}), "Swish");
    EXPECT_EQ(simplified({{Sigmoid, 0}, {Prod, 1, 1}}), "Sigmoid Prod");    // its square
    EXPECT_EQ(simplified({{Sigmoid, 1}, {Prod, 0, 2}}, 2), "Sigmoid Prod"); // a gate of another input
}

TEST(SimplifySteps, recognisesMish) {
    EXPECT_EQ(simplified({{Softplus, 0, -1, 1, 1}, {Tanh, 1}, {Prod, 0, 2}}), "Mish");
}

TEST(SimplifySteps, recognisesGeluInTheOrdersThatExportersWrite) {
    double const root = 1 / std::sqrt(2.F);
    // x (1 + erf(x / sqrt(2))) / 2
    EXPECT_EQ(
        simplified({{Affine, 0, -1, root, 0}, {Erf, 1}, {Affine, 2, -1, 1, 1}, {Prod, 0, 3}, {Affine, 4, -1, 0.5, 0}}),
        "GeluErf");
    // (x / 2) (1 + erf(x / sqrt(2)))
    EXPECT_EQ(
        simplified({{Affine, 0, -1, 0.5, 0}, {Affine, 0, -1, root, 0}, {Erf, 2}, {Affine, 3, -1, 1, 1}, {Prod, 1, 4}}),
        "GeluErf");
    // x ((1 + erf(x / sqrt(2))) / 2)
    EXPECT_EQ(
        simplified({{Affine, 0, -1, root, 0}, {Erf, 1}, {Affine, 2, -1, 1, 1}, {Affine, 3, -1, 0.5, 0}, {Prod, 4, 0}}),
        "GeluErf");
}

} // namespace
} // namespace tenon
