// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/plan_segments.h"

#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/fill/fill.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "plan/shapes/host_tensors.h"
#include "support/layer_case.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using Ends = std::vector<size_t>;

struct Divided {
    Graph graph;
    std::unique_ptr<ShapeProgram> program;
    std::vector<SegmentPlan> segments;

    Tensor* input(std::string const& name, DataType type, Shape shape) {
        return graph.addInput(name, type, std::move(shape));
    }
    Tensor* add(Tensor* a, Tensor* b) { return graph.emit(elementwise(PointwiseOp::Sum), {a, b}); }
    /// 0, 1, … below a limit.
    Tensor* range(Tensor* limit) {
        Fill fill;
        fill.extent = Fill::Extent::Limit;
        fill.type = DataType::Int64;
        fill.betaInteger = 1;
        return graph.emit(fill, {limit});
    }
    void divide() {
        markHostTensors(graph);
        program = std::make_unique<ShapeProgram>(graph);
        std::vector<Node const*> steps;
        for (Node const* node : program->nodes()) {
            if (!node->layer->constant() && !node->output()->onHost) steps.push_back(node);
        }
        segments = planSegments(steps, *program);
    }
    Ends ends() const {
        Ends all;
        for (SegmentPlan const& segment : segments) all.push_back(segment.end);
        return all;
    }
};

TEST(PlanSegments, areOneWhereAllShapesAreKnown) {
    Divided d;
    Tensor* const x = d.input("x", DataType::Float32, {DimExpr::symbol("N")});
    d.graph.markOutput(d.add(x, d.add(x, x)));
    d.divide();
    EXPECT_EQ(d.ends(), Ends{2});
    EXPECT_FALSE(d.segments[0].reads());
}

TEST(PlanSegments, endBeforeTheFirstStepThatNeedsACount) {
    Divided d;
    Tensor* const x = d.input("x", DataType::Float32, {8});
    Tensor* const a = d.graph.emit(NonZero(), {x});
    Tensor* const b = d.graph.emit(NonZero(), {d.add(x, x)});
    d.graph.markOutput(d.add(a, b));
    d.divide();
    EXPECT_EQ(d.ends(), (Ends{3, 4}));
    EXPECT_EQ(d.segments[0].sized.size(), 2U);
    auto const countOf = [&](Tensor const* found) { return d.program->numberOf(found->producer()->output(1)); };
    EXPECT_EQ(d.segments[0].counts, (std::vector{countOf(a), countOf(b)}));
    EXPECT_TRUE(d.segments[0].elements.empty());
    EXPECT_FALSE(d.segments[1].reads());
}

TEST(PlanSegments, readCountsOfTheLastStepToo) {
    Divided d;
    d.graph.markOutput(d.graph.emit(NonZero(), {d.input("x", DataType::Float32, {8})}));
    d.divide();
    EXPECT_EQ(d.ends(), Ends{1});
    EXPECT_TRUE(d.segments[0].reads());
}

TEST(PlanSegments, endAtElementsThatStepsCompute) {
    Divided d;
    Tensor* const limits = d.input("limits", DataType::Int64, {DimExpr::symbol("N"), 1});
    Tensor* const places = d.graph.emit(NonZero(), {limits});
    Tensor* const count = places->producer()->output(1);
    Tensor* const y = d.range(count);
    d.graph.markOutput(d.add(y, y));
    d.divide();
    EXPECT_EQ(d.ends(), (Ends{1, 3}));
    EXPECT_EQ(d.segments[0].elements, std::vector<int>{d.program->numberOf(count)});
}

TEST(PlanSegments, mayBeginWithElementsOfAnInput) {
    Divided d;
    Tensor* const limit = d.input("limit", DataType::Float32, {});
    Fill fill;
    fill.extent = Fill::Extent::Limit;
    fill.beta = 1;
    d.graph.markOutput(d.graph.emit(fill, {limit}));
    d.divide();
    EXPECT_FALSE(limit->onHost);
    EXPECT_EQ(d.ends(), (Ends{0, 1}));
    EXPECT_EQ(d.segments[0].elements, std::vector<int>{d.program->numberOf(limit)});
}

TEST(PlanSegments, leaveToTheHostWhatProfilesGive) {
    Divided d;
    Tensor* const limit = d.input("limit", DataType::Int64, {});
    d.graph.markOutput(d.range(limit));
    d.divide();
    EXPECT_TRUE(limit->onHost);
    EXPECT_EQ(d.ends(), Ends{1});
    EXPECT_FALSE(d.segments[0].reads());
}

} // namespace
} // namespace tenon
