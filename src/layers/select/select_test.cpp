// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;
using test::LayerCase;

Literal bools(Dims const& dims, std::vector<char> const& values) {
    return Literal::copyOf(DataType::Bool, dims, values.data());
}

TEST(Select, choosesElementByElement) {
    LayerCase{.inputs = {bools({2, 2}, {1, 0, 0, 1}), floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {5, 6, 7, 8})},
              .expected = {floats({2, 2}, {1, 6, 7, 4})}}
        .expect(Select{});
}

TEST(Select, broadcastsAllThree) { // numpy.where
    LayerCase{.inputs = {bools({2, 1}, {1, 0}), ints({3}, {1, 2, 3}), ints({}, {-1})},
              .expected = {ints({2, 3}, {1, 2, 3, -1, -1, -1})}}
        .expect(Select{});
    LayerCase{.inputs = {bools({}, {1}), bools({2}, {1, 0}), bools({2, 1}, {0, 0})},
              .expected = {bools({2, 2}, {1, 0, 1, 0})}}
        .expect(Select{});
}

TEST(Select, walksThroughLargeTensors) { // every third element of a, else b's row
    std::vector<char> condition;
    std::vector<float> a;
    std::vector<float> expected;
    Literal const b = test::spread({1, 70}, -1, 1);
    for (int i = 0; i < 30 * 20 * 70; ++i) {
        condition.push_back(i % 3 == 0);
        a.push_back(static_cast<float>(i % 128)); // exact in bfloat16
        expected.push_back(i % 3 == 0 ? a.back() : b.as<float>()[static_cast<size_t>(i % 70)]);
    }
    LayerCase{.inputs = {bools({30, 20, 70}, condition), floats({30, 20, 70}, a), b},
              .expected = {floats({30, 20, 70}, expected)},
              .tolerance = 0}
        .expect(Select{});
}

TEST(Select, movesAllTypes) {
    LayerCase{.inputs = {bools({2}, {0, 1}), Literal::of<Half>({1}, {1}), Literal::of<Half>({2}, {2, 3})},
              .expected = {Literal::of<Half>({2}, {2, 1})}}
        .expect(Select{});
    LayerCase{.inputs = {bools({2}, {0, 1}), Literal::of<int8_t>({1}, {1}), Literal::of<int8_t>({2}, {2, 3})},
              .expected = {Literal::of<int8_t>({2}, {2, 1})}}
        .expect(Select{});
}

TEST(Select, tellsTheValuesOfShapeTensors) {
    Operand const condition{.type = DataType::Bool, .shape = {2}, .values = Shape{0, 1}};
    Operand const ones{.type = DataType::Int64, .shape = {}, .values = Shape{1}};
    Operand const dims{.type = DataType::Int64, .shape = {2}, .values = Shape{DimExpr::symbol("N"), -1}};
    auto const result = Select{}.infer({{condition, ones, dims}, "node"});
    ASSERT_TRUE(result[0].values);
    EXPECT_EQ(text(*result[0].values), "[N,1]");
}

TEST(Select, refusesConditionsThatAreNotBoolean) {
    EXPECT_EQ(test::inferError(Select{}, {{DataType::Int32, {2}}, {DataType::Float32, {2}}, {DataType::Float32, {2}}}),
              "node (Select): the condition, input 0, is int32; expected bool (add a cast)");
    EXPECT_EQ(test::inferError(Select{}, {{DataType::Bool, {2}}, {DataType::Float32, {2}}, {DataType::Int32, {2}}}),
              "node (Select): input 1 is float32 and input 2 is int32; expected one type (add a cast)");
}

} // namespace
} // namespace tenon
