// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/profile_shapes.h"

#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/fill/fill.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shape/shape.h"
#include "layers/slice/slice.h"
#include "plan/plan.h"
#include "plan/shapes/host_tensors.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::floats;
using test::ints;

/// A graph with one profile, and the bounds of its tensors.
struct Bounded {
    explicit Bounded(Profile const& profile) { plan.profiles = {profile}; }

    void find() {
        markHostTensors(plan.graph);
        shapes.emplace(plan.graph, plan.profiles.front());
    }
    Tensor* add(PointwiseOp op, Tensor* a, Tensor* b) { return plan.graph.emit(elementwise(op), {a, b}); }
    Tensor* constant(std::vector<int64_t> const& values) {
        return plan.graph.emit(Constant(ints({std::ssize(values)}, values)), {});
    }
    /// The first elements of a vector of 64; `size` [1] gives their number.
    Tensor* firstOf(Tensor* size) {
        Tensor* const all = plan.graph.emit(Constant(floats({64}, std::vector<float>(64, 1))), {});
        Slice slice;
        slice.start = {0};
        return plan.graph.emit(slice, {all, nullptr, size});
    }
    PortRange rangeOf(Tensor const* tensor) const { return shapes->rangesOf(*tensor->producer()).outputs[0]; }
    /// min, opt and max of a vector.
    std::vector<int64_t> extentsOf(Tensor const* tensor) const {
        PortRange const range = rangeOf(tensor);
        return {range.min[0], range.opt[0], range.max[0]};
    }

    Plan plan;
    std::optional<ProfileShapes> shapes;
};

using Extents = std::vector<int64_t>;

/// x [N]
Bounded overN(int64_t min, int64_t opt, int64_t max) { return Bounded({{"x", {{min}, {opt}, {max}, {}, {}, {}}}}); }

Tensor* addX(Bounded& b) { return b.plan.graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")}); }

TEST(ProfileShapes, boundWhatShrinksWhileTheInputGrows) {
    Bounded b = overN(1, 32, 63);
    Tensor* const n = b.plan.graph.emit(ShapeOf{}, {addX(b)});
    Tensor* const rest = b.add(PointwiseOp::Sub, b.constant({64}), n);
    Tensor* const y = b.firstOf(rest);
    b.find();
    EXPECT_EQ(b.extentsOf(y), (Extents{1, 32, 63})); // 64 - N
    EXPECT_FALSE(b.shapes->isLargestAtMax());
    EXPECT_EQ(b.shapes->largest().dims[static_cast<size_t>(b.shapes->program().numberOf(y))], Dims{63});
}

TEST(ProfileShapes, boundWhatIsLargestBetweenThePointsOfTheProfile) {
    Bounded b = overN(1, 2, 8);
    Tensor* const n = b.plan.graph.emit(ShapeOf{}, {addX(b)});
    Tensor* const y = b.firstOf(b.add(PointwiseOp::Prod, n, b.add(PointwiseOp::Sub, b.constant({9}), n)));
    b.find();
    PortRange const range = b.rangeOf(y);
    EXPECT_EQ(range.opt, Dims{14});
    EXPECT_LE(range.min[0], 8);
    EXPECT_GE(range.max[0], 20); // N * (9 - N) at 4 and 5
}

TEST(ProfileShapes, boundWhatElementsOfInputsDecide) {
    Bounded b({{"drop", {{}, {}, {}, {0}, {8}, {60}}}});
    Tensor* const drop = b.plan.graph.addInput("drop", DataType::Int64, {1});
    Tensor* const y = b.firstOf(b.add(PointwiseOp::Sub, b.constant({64}), drop));
    b.find();
    EXPECT_EQ(b.extentsOf(y), (Extents{4, 56, 64}));
}

TEST(ProfileShapes, spanThePointsWhereNoRuleFollowsTheElements) { // floats in between
    Bounded b = overN(1, 40, 63);
    Cast toFloat;
    toFloat.to = DataType::Float32;
    Cast toInt;
    toInt.to = DataType::Int64;
    Graph& graph = b.plan.graph;
    Tensor* const n = graph.emit(toFloat, {graph.emit(ShapeOf{}, {addX(b)})});
    Tensor* const rest = b.add(PointwiseOp::Sub, graph.emit(Constant(floats({1}, {64})), {}), n);
    Tensor* const y = b.firstOf(graph.emit(toInt, {rest}));
    b.find();
    EXPECT_EQ(b.extentsOf(y), (Extents{1, 24, 63}));
}

TEST(ProfileShapes, leaveAllBelowTheBoundToWhatDataDecide) {
    Bounded b = overN(2, 4, 8);
    Node* const found = b.plan.graph.add(std::make_unique<NonZero>(), {addX(b)});
    b.find();
    PortRange const range = b.shapes->rangesOf(*found).outputs[0];
    EXPECT_EQ(range.min, (Dims{1, 0}));
    EXPECT_EQ(range.max, (Dims{1, 8}));
}

TEST(ProfileShapes, areLargestAtTheMaximumWhereAllGrow) {
    Bounded b = overN(1, 2, 8);
    Tensor* const x = addX(b);
    Tensor* const y = b.add(PointwiseOp::Sum, x, x);
    b.find();
    EXPECT_TRUE(b.shapes->isLargestAtMax());
    EXPECT_EQ(b.extentsOf(y), (Extents{1, 2, 8}));
    EXPECT_EQ(b.shapes->largestFor(*y->producer()).size(), 1U);
}

TEST(ProfileShapes, askKernelsAboutBoundsThatGoTogether) {
    Bounded b = overN(1, 2, 63);
    Tensor* const x = addX(b);
    Tensor* const n = b.plan.graph.emit(ShapeOf{}, {x});
    Tensor* const y = b.firstOf(b.add(PointwiseOp::Sub, b.constant({64}), n));
    Tensor* const twice = b.add(PointwiseOp::Sum, y, y);
    b.find();
    auto const all = b.shapes->largestFor(*twice->producer());
    ASSERT_EQ(all.size(), 4U); // max, min, opt, bounds
    EXPECT_EQ(all.back().inputs, (std::vector<Dims>{{63}, {63}}));
    EXPECT_EQ(all.back().outputs, std::vector<Dims>{{63}});
}

} // namespace
} // namespace tenon
