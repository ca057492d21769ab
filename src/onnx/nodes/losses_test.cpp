// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/onnx_node_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using test::numbersOf;
using test::OnnxNodeCase;
using Numbers = std::vector<float>;

Literal floats(Dims const& dims, Numbers const& values) { return Literal::of(dims, values); }

// Calculated by hand; ONNX's own node tests cover the reductions, weights and ranks.

TEST(LossesOnnx, nothingOfAnIgnoredLabelReachesTheLoss) {
    auto const loss = [](std::string const& reduction) {
        return OnnxNodeCase("NegativeLogLikelihoodLoss", 22)
            .string("reduction", reduction)
            .integer("ignore_index", 7) // not a class
            .input(floats({3, 2}, {-1, -2, NAN, INFINITY, -3, -5}))
            .input(Literal::of<int64_t>({3}, {1, 7, 0}))
            .input(floats({2}, {2, 0.5F}));
    };
    EXPECT_EQ(numbersOf(loss("none").run()[0]), (Numbers{1, 0, 6}));
    EXPECT_EQ(numbersOf(loss("sum").run()[0]), (Numbers{7}));
    EXPECT_EQ(numbersOf(loss("mean").run()[0]), (Numbers{2.8F}));
    EXPECT_EQ(loss("median").error(), "node (NegativeLogLikelihoodLoss, opset 22, node 0): reduction is \"median\"; "
                                      "expected none, sum or mean");
}

TEST(LossesOnnx, countMoreLabelsThanFloat16Can) {
    constexpr int64_t kLabels = 70'000;
    auto const loss = OnnxNodeCase("NegativeLogLikelihoodLoss", 13)
                          .input(Literal::of({1, 1, kLabels}, std::vector<Half>(kLabels, Half(-3.0F))))
                          .input(Literal::of({1, kLabels}, std::vector<int32_t>(kLabels, 0)));
    EXPECT_EQ(numbersOf(loss.run()[0]), (Numbers{3}));
}

} // namespace
} // namespace tenon
