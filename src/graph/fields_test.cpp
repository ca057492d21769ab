// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/fields.h"

#include "graph/layer.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

struct Sized final : LayerOf<Sized> {
    static constexpr std::string_view kKind = "Sized";
    Shape shape;

    void fields(Fields& f) override { f("shape", shape); }
    std::vector<Result> infer(Operands const& in) const override { return {{in[0].type, shape}}; }
    void reference(std::span<HostTensor const>, std::span<HostTensor const>) const override {}
};

DimExpr doubled(DimExpr dim) {
    for (int i = 0; i < 90; ++i) dim = dim + dim;
    return dim;
}

TEST(Fields, ofLargeShapesAreComparedWhole) {
    Sized a;
    Sized b;
    a.shape = {doubled(DimExpr::symbol("A"))};
    b.shape = {doubled(DimExpr::symbol("B"))};
    EXPECT_EQ(printFields(a), printFields(b)); // a large one is truncated
    EXPECT_FALSE(sameFields(a, b));
    b.shape = {doubled(DimExpr::symbol("A"))};
    EXPECT_TRUE(sameFields(a, b));
}

} // namespace
} // namespace tenon
