// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/layer_case.h"
#include "support/one_op.h"

#include <cmath>
#include <map>

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::OneOp;

// onnx.reference, and the text of ONNX since opset 18: over no axes, the steps before and after the sum still apply
TEST(ReduceOnnx, overNoAxesDoesTheRest) {
    std::vector<float> const x{-2, 0.5F, 3};
    std::map<std::string, float (*)(float)> const all{
        {"ReduceSum", [](float v) { return v; }},          {"ReduceMean", [](float v) { return v; }},
        {"ReduceMax", [](float v) { return v; }},          {"ReduceMin", [](float v) { return v; }},
        {"ReduceProd", [](float v) { return v; }},         {"ReduceLogSumExp", [](float v) { return v; }},
        {"ReduceL1", [](float v) { return std::abs(v); }}, {"ReduceL2", [](float v) { return std::abs(v); }},
        {"ReduceSumSquare", [](float v) { return v * v; }}};
    for (auto const& [name, expected] : all) {
        std::vector<float> y;
        for (float const v : x) y.push_back(expected(v));
        OneOp op{.op = name,
                 .opset = 18,
                 .attributes = {{"noop_with_empty_axes", int64_t{1}}, {"keepdims", int64_t{0}}},
                 .inputs = {floats({1, 3}, x)}};
        EXPECT_EQ(op.run(), std::vector{floats({1, 3}, y)}) << name;
        op.inputs.push_back(ints({0}, {}));
        EXPECT_EQ(op.run(), std::vector{floats({1, 3}, y)}) << name << " of an empty list";
        op.constants = 2;
        EXPECT_EQ(op.runInEngine(), std::vector{floats({1, 3}, y)}) << name << " of an empty initializer";
    }
    OneOp const log{.op = "ReduceLogSum",
                    .opset = 18,
                    .attributes = {{"noop_with_empty_axes", int64_t{1}}},
                    .inputs = {floats({2}, {1, 2})}};
    EXPECT_EQ(log.run(), std::vector{floats({2}, {0, std::log(2.0F)})});
}

TEST(ReduceOnnx, takesTheRootOfWholeNumbers) { // ONNX Runtime: truncated to an integer
    OneOp op{.op = "ReduceL2",
             .opset = 18,
             .attributes = {{"keepdims", int64_t{0}}},
             .inputs = {ints({5, 2}, {3, -4, 1, 1, 0, 0, -5000, 1, 4999, 100}), ints({1}, {1})},
             .constants = 2};
    EXPECT_EQ(op.run(), std::vector{ints({5}, {5, 1, 0, 5000, 5000})});
    op.attributes.push_back({"noop_with_empty_axes", int64_t{1}});
    op.inputs = {Literal::of<int32_t>({3}, {-7, 0, 7})};
    op.constants = 0;
    EXPECT_EQ(op.run(), std::vector{Literal::of<int32_t>({3}, {7, 0, 7})});
}

/// The root in float32 of 16777217 · k alone would be one too large or too small near a square.
TEST(ReduceOnnx, takesExactRootsBesideSquares) {
    std::vector<int64_t> squares;
    std::vector<int64_t> roots;
    for (int64_t const root : {4097, 9999, 65535, 1'000'003}) {
        squares.insert(squares.end(), {root, 0, root - 1, 1, root, 1});
        roots.insert(roots.end(), {root, root - 1, root});
    }
    auto const rows = static_cast<int64_t>(roots.size());
    OneOp const op{.op = "ReduceL2",
                   .opset = 13,
                   .attributes = {{"keepdims", int64_t{0}}, {"axes", std::vector<int64_t>{1}}},
                   .inputs = {ints({rows, 2}, squares)}};
    EXPECT_EQ(op.run(), std::vector{ints({rows}, roots)}); // root² ≤ root² + 1 < (root + 1)²
}

} // namespace
} // namespace tenon
