// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/loop/loop.h"

#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

/// Carries s [n], and adds w [n] to it in each iteration. Gathers the sums if `gathers`.
Loop adding(bool gathers) {
    Loop loop;
    loop.carried = 1;
    loop.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {DimExpr::symbol("n")});
    Tensor* const w = loop.body.addInput("w", DataType::Float32, {DimExpr::symbol("n")});
    Tensor* const sum = loop.body.emit(elementwise(PointwiseOp::Sum), {s, w}, "add");
    loop.body.markOutput(goesOn);
    loop.body.markOutput(sum);
    if (gathers) loop.body.markOutput(loop.body.emit(elementwise(PointwiseOp::Sum), {sum, sum}, "twice"));
    return loop;
}

Literal const kAbsent;
Literal const kStart = test::floats({2}, {1, 10});
Literal const kStep = test::floats({2}, {2, 20});

TEST(Loop, carriesValues) {
    test::LayerCase{.inputs = {Literal::scalar(int64_t{3}), kAbsent, kStart, kStep},
                    .expected = {test::floats({2}, {7, 70})},
                    .types = {DataType::Float32}}
        .expect(adding(false));
}

TEST(Loop, gathersATensorATrip) {
    test::LayerCase{.inputs = {Literal::scalar(int64_t{2}), kAbsent, kStart, kStep},
                    .expected = {test::floats({2}, {5, 50}), test::floats({2, 2}, {6, 60, 10, 100})},
                    .constants = 1,
                    .types = {DataType::Float32}}
        .expect(adding(true));
}

TEST(Loop, needNotBegin) {
    Loop loop = adding(false);
    loop.counted = false;
    test::LayerCase{.inputs = {Literal::scalar(int64_t{3}), Literal::scalar(false), kStart, kStep},
                    .expected = {kStart},
                    .types = {DataType::Float32}}
        .expect(loop);
}

TEST(Loop, refusesATypeThatChanges) {
    Loop loop = adding(false);
    EXPECT_EQ(test::inferError(loop, {{DataType::Int64, {}}, {DataType::Bool, {}}, {DataType::Float32, {2}}}),
              "node (Loop): has 3 inputs; its body has 4");
    loop.body.unmarkOutput(loop.body.outputs()[1]);
    loop.body.markOutput(loop.body.inputs()[0]);
    EXPECT_EQ(
        test::inferError(
            loop, {{DataType::Int64, {}}, {DataType::Bool, {}}, {DataType::Float32, {2}}, {DataType::Float32, {2}}}),
        "node (Loop): value 0 that is carried is float32 and becomes int64; expected the same type in each iteration "
        "(add a cast)");
}

} // namespace
} // namespace tenon
