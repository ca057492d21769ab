// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pointwise/pointwise.h"

#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::LayerCase;
using enum PointwiseOp;

Pointwise chain(std::vector<PointwiseStep> steps) {
    Pointwise layer;
    layer.steps = std::move(steps);
    return layer;
}

// x * clip(x + 3, 0, 6) / 6, what PP-OCR's models spell hard-swish as
TEST(Pointwise, computesAChain) {
    LayerCase{.inputs = {floats({2, 3}, {-4, -2, -1, 0, 1, 4})},
              .expected = {floats({2, 3}, {0, -1 / 3.F, -1 / 3.F, 0, 2 / 3.F, 4})}}
        .expect(chain({{Affine, 0, -1, 1, 3}, {Clip, 1, -1, 0, 6}, {Prod, 0, 2}, {Affine, 3, -1, 1 / 6.}}));
}

TEST(Pointwise, readsAResultTwice) { // (x + y)^2
    LayerCase{.inputs = {floats({3}, {1, 2, 3}), floats({3}, {1, -1, 0.5F})}, .expected = {floats({3}, {4, 1, 12.25F})}}
        .expect(chain({{Sum, 0, 1}, {Prod, 2, 2}}));
}

TEST(Pointwise, broadcastsItsInputs) { // numpy: x * scale[:, :, None] + row
    LayerCase{.inputs = {floats({1, 2, 2}, {1, 2, 3, 4}), floats({1, 2, 1}, {10, 100}), floats({2}, {0.5F, 0.25F})},
              .expected = {floats({1, 2, 2}, {10.5F, 20.25F, 300.5F, 400.25F})}}
        .expect(chain({{Prod, 0, 1}, {Sum, 3, 2}}));
}

TEST(Pointwise, ofNoElementsIsEmpty) {
    LayerCase{.inputs = {floats({2, 0}, {})}, .expected = {floats({2, 0}, {})}}.expect(chain({{Exp}}));
}

TEST(Pointwise, refusesOperandsThatAreNotThere) {
    EXPECT_EQ(test::inferError(chain({{Relu}, {Sum, 0, 2}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 1 (Sum) has operands 0 and 2; expected two from 0 to 1");
    EXPECT_EQ(test::inferError(chain({{Relu, 0, 0}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 0 (Relu) has operands 0 and 0; expected one from 0 to 0 and -1");
}

TEST(Pointwise, refusesBooleansIntegersAndMixedTypes) {
    EXPECT_EQ(test::inferError(chain({{IsNan}}), {{DataType::Float32, {2}}}),
              "node (Pointwise): step 0 is IsNan, which gives no number");
    EXPECT_EQ(test::inferError(chain({{Abs}}), {{DataType::Int64, {2}}}),
              "node (Pointwise): input 0 is int64; expected float32, float16 or bfloat16");
    EXPECT_EQ(test::inferError(chain({{Sum, 0, 1}}), {{DataType::Float32, {2}}, {DataType::Float16, {2}}}),
              "node (Pointwise): input 0 is float32 and input 1 is float16; they must be of one type (add a cast)");
}

TEST(Pointwise, refusesShapesThatDoNotBroadcast) {
    EXPECT_EQ(test::inferError(chain({{Sum, 0, 1}}), {{DataType::Float32, {2}}, {DataType::Float32, {3}}}),
              "node (Pointwise): shapes [2] and [3] do not broadcast: 2 against 3");
}

TEST(Pointwise, isNotWithoutSteps) {
    EXPECT_EQ(test::inferError(chain({}), {{DataType::Float32, {2}}}),
              "node (Pointwise): has no steps; expected one at least");
}

} // namespace
} // namespace tenon
