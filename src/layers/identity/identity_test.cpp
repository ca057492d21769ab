// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "base/text.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

TEST(Identity, givesWhatItGets) {
    test::LayerCase{.inputs = {test::floats({2, 2}, {1, 2, 3, NAN})},
                    .expected = {test::floats({2, 2}, {1, 2, 3, NAN})}}
        .expect(Identity{});
    test::LayerCase{.inputs = {test::ints({1}, {INT64_MAX})}, .expected = {test::ints({1}, {INT64_MAX})}}.expect(
        Identity{});
    test::LayerCase{.inputs = {test::floats({0}, {})}, .expected = {test::floats({0}, {})}}.expect(Identity{});
}

TEST(Identity, tellsTheValuesOfShapeTensors) {
    Operand const dims{.type = DataType::Int64, .shape = {1}, .values = Shape{DimExpr::symbol("N")}};
    EXPECT_EQ(text(*Identity{}.infer({{dims}, "node"})[0].values), "[N]");
}

TEST(Identity, hasOneInput) {
    EXPECT_EQ(test::inferError(Identity{}, {}), "node (Identity): has 0 inputs; expected 1");
}

} // namespace
} // namespace tenon
