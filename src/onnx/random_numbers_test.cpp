// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random values that decide control flow. Models are in protobuf's text format.

#include "base/error.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tenon::onnx {
namespace {

/// r [1] from [0, high), drawn in each run unless there is a seed, and y, which `nodes` compute from it.
std::string model(int high, bool seeded, std::string const& nodes) {
    std::string const seed = seeded ? "attribute { name: 'seed' type: FLOAT f: 3 }" : "";
    return text("ir_version: 8 opset_import { domain: '' version: 17 } graph { name: 'g' "
                "node { op_type: 'RandomUniform' name: 'draw' output: 'r' "
                "attribute { name: 'shape' type: INTS ints: 1 } attribute { name: 'high' type: FLOAT f: ",
                high, " } ", seed,
                " } node { op_type: 'Cast' name: 'whole' input: 'r' output: 'n' "
                "attribute { name: 'to' type: INT i: 7 } } "
                "initializer { name: 'yes' data_type: 9 int32_data: 1 } "
                "initializer { name: 'half' data_type: 1 dims: 1 float_data: 0.5 } "
                "initializer { name: 'one' data_type: 1 dims: 1 float_data: 1 } "
                "initializer { name: 'zero' data_type: 1 dims: 1 float_data: 0 } ",
                nodes, " output { name: 'y' } }");
}

/// y = r > 0.5 ? 1 : 0
std::string coin(bool seeded) {
    return model(1, seeded,
                 "node { op_type: 'Greater' input: 'r' input: 'half' output: 'c' } "
                 "node { op_type: 'If' input: 'c' output: 'y' "
                 "attribute { name: 'then_branch' type: GRAPH g { output { name: 'a' } "
                 "node { op_type: 'Relu' input: 'one' output: 'a' } } } "
                 "attribute { name: 'else_branch' type: GRAPH g { output { name: 'a' } "
                 "node { op_type: 'Relu' input: 'zero' output: 'a' } } } }");
}

/// y = the trip count, a number from 0 to 8
std::string dice(bool seeded) {
    return model(9, seeded,
                 "node { op_type: 'Loop' input: 'n' input: 'yes' input: 'zero' output: 'y' "
                 "attribute { name: 'body' type: GRAPH g { input { name: 'i' } input { name: 'c' } input { name: 'v' } "
                 "node { op_type: 'Identity' input: 'c' output: 'd' } "
                 "node { op_type: 'Add' input: 'v' input: 'one' output: 'w' } "
                 "output { name: 'd' } output { name: 'w' } } } }");
}

/// y = the sum of n ones, n from 0 to 8
std::string expanded(bool seeded) {
    return model(9, seeded,
                 "node { op_type: 'Expand' name: 'expand' input: 'one' input: 'n' output: 's' } "
                 "node { op_type: 'ReduceSum' input: 's' output: 'y' "
                 "attribute { name: 'keepdims' type: INT i: 0 } }");
}

/// The same, with the first n taken from 8 ones.
std::string sliced(bool seeded) {
    return model(9, seeded,
                 "initializer { name: 'start' data_type: 7 dims: 1 int64_data: 0 } "
                 "initializer { name: 'eight' data_type: 7 dims: 1 int64_data: 8 } "
                 "node { op_type: 'Expand' input: 'one' input: 'eight' output: 'ones' } "
                 "node { op_type: 'Slice' name: 'slice' input: 'ones' input: 'start' input: 'n' output: 's' } "
                 "node { op_type: 'ReduceSum' input: 's' output: 'y' "
                 "attribute { name: 'keepdims' type: INT i: 0 } }");
}

Graph parsed(std::string const& model) {
    Graph graph;
    for (auto const& error : parse(test::asBytes(model), graph).errors) ADD_FAILURE() << error.text;
    return graph;
}

/// y in each of `runs` runs of one saved and loaded engine.
std::vector<float> drawn(std::string const& model, int runs) {
    test::EngineRun engine(parsed(model), {});
    std::vector<float> all;
    for (int i = 0; i < runs; ++i) all.push_back(engine.run({}).at(0).toFloat().at(0));
    return all;
}

constexpr int kDraws = 64; // all equal by chance: once in 2^63 times

TEST(RandomNumbers, decideAConditionInEachRun) {
    auto const found = drawn(coin(false), kDraws);
    for (float const y : found) EXPECT_TRUE(y == 0 || y == 1) << y;
    EXPECT_NE(std::ranges::count(found, 0.F), 0);
    EXPECT_NE(std::ranges::count(found, 1.F), 0);
}

TEST(RandomNumbers, countTripsInEachRun) {
    auto const found = drawn(dice(false), kDraws);
    for (float const y : found) EXPECT_TRUE(y >= 0 && y <= 8 && y == std::floor(y)) << y;
    EXPECT_GT(std::set<float>(found.begin(), found.end()).size(), 1U);
}

TEST(RandomNumbers, withASeedAreTheSameInEveryRunAndEngine) {
    for (auto const& make : {coin, dice, expanded, sliced}) {
        auto const found = drawn(make(true), 3);
        EXPECT_EQ(found, std::vector<float>(3, found[0]));
        EXPECT_EQ(drawn(make(true), 1)[0], found[0]);
    }
}

TEST(RandomNumbers, decideAnExtentInEachRun) {
    for (auto const& make : {expanded, sliced}) {
        auto const found = drawn(make(false), kDraws);
        for (float const y : found) EXPECT_TRUE(y >= 0 && y <= 8 && y == std::floor(y)) << y;
        EXPECT_GT(std::set<float>(found.begin(), found.end()).size(), 1U);
    }
}

} // namespace
} // namespace tenon::onnx
