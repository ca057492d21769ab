// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;

Literal const kX = test::floats({1, 2, 2}, {1, 2, 3, 4});

Scale scale(Scale::Mode mode, int64_t axis = 1) {
    Scale layer;
    layer.mode = mode;
    layer.channelAxis = axis;
    return layer;
}

TEST(Scale, byOneNumber) { // (x * 2 + 1) ^ 2
    LayerCase{.inputs = {kX, floats({1}, {1}), floats({1}, {2}), floats({1}, {2})},
              .expected = {floats({1, 2, 2}, {9, 25, 49, 81})}}
        .expect(scale(Scale::Mode::Uniform));
}

TEST(Scale, byOneNumberAChannel) {
    LayerCase{.inputs = {kX, floats({2}, {1, 10}), floats({2}, {2, 3})},
              .expected = {floats({1, 2, 2}, {3, 5, 19, 22})}}
        .expect(scale(Scale::Mode::Channel));
    LayerCase{.inputs = {kX, floats({2}, {1, 10}), floats({2}, {2, 3})},
              .expected = {floats({1, 2, 2}, {3, 16, 7, 22})}}
        .expect(scale(Scale::Mode::Channel, -1));
}

TEST(Scale, byOneNumberAnElement) {
    LayerCase{.inputs = {kX, floats({4}, {1, 10, 100, 1000}), floats({2, 2}, {2, 3, 4, 5})},
              .expected = {floats({1, 2, 2}, {3, 16, 112, 1020})}}
        .expect(scale(Scale::Mode::Elementwise));
}

TEST(Scale, withoutSomeOfItsWeights) {
    LayerCase{.inputs = {kX, Literal{}, floats({2}, {2, 3})}, .expected = {floats({1, 2, 2}, {2, 4, 9, 12})}}.expect(
        scale(Scale::Mode::Channel));
    LayerCase{.inputs = {kX, Literal{}, Literal{}, floats({2}, {2, 1})}, .expected = {floats({1, 2, 2}, {1, 4, 3, 4})}}
        .expect(scale(Scale::Mode::Channel));
    LayerCase{.inputs = {kX}, .expected = {kX}}.expect(scale(Scale::Mode::Uniform));
}

TEST(Scale, refusesWeightsOfAnotherSize) {
    EXPECT_EQ(test::inferError(scale(Scale::Mode::Channel), {{DataType::Float32, {1, 2, 2}}, {DataType::Float32, {3}}}),
              "node (Scale): shift has 3 elements; a scale of mode Channel on [1,2,2] expects 2");
}

} // namespace
} // namespace tenon
