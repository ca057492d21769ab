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

// Cases that ONNX's own node tests omit: old opsets, and operands that are absent or unknown.

Literal const kTwoByThree = floats({2, 3, 1}, {1, 2, 3, 4, 5, 6});

TEST(ElementwiseOnnx, placesTheSecondOperandByAxisUntilOpset6) { // b along axis 1 of [2,3,1]
    auto const sum = [](Literal const& b, int64_t axis) {
        return OnnxNodeCase("Add", 6).integer("broadcast", 1).integer("axis", axis).input(kTwoByThree).constant(b);
    };
    EXPECT_EQ(numbersOf(sum(floats({3}, {10, 20, 30}), 1).run()[0]), (Numbers{11, 22, 33, 14, 25, 36}));
    EXPECT_EQ(numbersOf(sum(floats({2}, {10, 20}), 0).run()[0]), (Numbers{11, 12, 13, 24, 25, 26}));
    EXPECT_EQ(numbersOf(sum(floats({2}, {10, 20}), -3).run()[0]), (Numbers{11, 12, 13, 24, 25, 26}));
    EXPECT_EQ(sum(floats({2, 3}, Numbers(6, 1)), 2).error(),
              "node (Add, opset 6, node 0): axis 2 leaves no room for the 2 axes of x1 in the 3 of x0");
}

TEST(ElementwiseOnnx, placesASecondOperandThatIsComputed) {
    auto const result = OnnxNodeCase("Mul", 6)
                            .integer("broadcast", 1)
                            .integer("axis", 0)
                            .input(kTwoByThree)
                            .input(floats({2}, {10, 20}))
                            .run();
    EXPECT_EQ(numbersOf(result[0]), (Numbers{10, 20, 30, 80, 100, 120}));
}

TEST(ElementwiseOnnx, readsOneSlopeAChannelUntilOpset6) {
    Literal const x = floats({1, 2, 2}, {-1, 2, -3, 4});
    Literal const slopes = floats({2}, {0.5F, 2});
    EXPECT_EQ(numbersOf(OnnxNodeCase("PRelu", 6).input(x).constant(slopes).run()[0]), (Numbers{-0.5F, 2, -6, 4}));
    EXPECT_EQ(numbersOf(OnnxNodeCase("PRelu", 7).input(x).constant(slopes).run()[0]), (Numbers{-0.5F, 2, -1.5F, 4}));
}

TEST(ElementwiseOnnx, raisesToExponentsOfAnotherType) {
    Literal const x = Literal::of<int32_t>({2}, {4, 9});
    EXPECT_EQ(numbersOf(OnnxNodeCase("Pow", 13).input(x).input(floats({1}, {0.5F})).run()[0]), (Numbers{2, 3}));
    Literal const cubes = Literal::of<int64_t>({1}, {3});
    EXPECT_EQ(numbersOf(OnnxNodeCase("Pow", 13).input(floats({1}, {1.5F})).input(cubes).run()[0]), (Numbers{3.375F}));
}

TEST(ElementwiseOnnx, folds1OperandAndMany) {
    EXPECT_EQ(numbersOf(OnnxNodeCase("Max", 13).input(floats({2}, {1, 2})).run()[0]), (Numbers{1, 2}));
    auto const mean =
        OnnxNodeCase("Mean", 13).input(floats({2}, {1, 2})).input(floats({1}, {4})).input(floats({}, {1}));
    EXPECT_EQ(numbersOf(mean.run()[0]), (Numbers{2, 7 / 3.F}));
}

TEST(ElementwiseOnnx, comparesNumbersThatAreNone) { // IEEE 754: no comparison with NaN is true
    Literal const x = floats({3}, {NAN, 1, 2});
    Literal const one = floats({}, {1});
    EXPECT_EQ(numbersOf(OnnxNodeCase("GreaterOrEqual", 16).input(x).input(one).run()[0]), (Numbers{0, 1, 1}));
    EXPECT_EQ(numbersOf(OnnxNodeCase("LessOrEqual", 16).input(x).input(one).run()[0]), (Numbers{0, 1, 0}));
}

TEST(ElementwiseOnnx, hasTheSignOfTheDivisorInAModuloOfFloatsSinceOpset28) { // numpy.mod
    Literal const a = floats({6}, {5.5F, -5.5F, 5.5F, -5.5F, 3, 1});
    Literal const b = floats({6}, {2, 2, -2, -2, 1.5F, INFINITY});
    EXPECT_EQ(numbersOf(OnnxNodeCase("Mod", 28).input(a).input(b).run()[0]), (Numbers{1.5F, 0.5F, -0.5F, -1.5F, 0, 1}));
}

TEST(ElementwiseOnnx, passesOverBroadcastWithoutAxisUntilOpset6) {
    EXPECT_EQ(numbersOf(OnnxNodeCase("Add", 6).integer("broadcast", 1).input(kTwoByThree).input(kTwoByThree).run()[0]),
              (Numbers{2, 4, 6, 8, 10, 12}));
}

TEST(ElementwiseOnnx, refusesModuloOfFloatsThatTheStandardDoesNotDefine) {
    Literal const x = floats({1}, {1});
    EXPECT_EQ(OnnxNodeCase("Mod", 13).input(x).input(x).error(),
              "node (Mod, opset 13, node 0): attribute fmod is 0 for operands of float32; the standard expects 1");
}

} // namespace
} // namespace tenon
