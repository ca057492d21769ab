// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/prepared_shapes.h"

#include "layers/expand/expand.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using Key = std::vector<ShapeProgram::Input>;

struct Prepared {
    Prepared(Graph const& graph, Profile const& profile) : engine(build(graph, configOf(profile))) {}
    static BuildConfig configOf(Profile const& profile) {
        BuildConfig config;
        config.profiles = {profile};
        return config;
    }

    Engine engine;
    StepStates states{engine, 1, {}};
    ContextWeights weights{engine, states};
    PreparedShapes shapes{engine, states, weights};
};

/// softmax of x [N], N from 1 to 20
Prepared softmax() {
    Graph graph;
    graph.markOutput(graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")})}));
    return {graph, {{"x", {{1}, {2}, {20}, {}, {}, {}}}}};
}

Key keyOf(int64_t n) { return {{Dims{n}, {}}}; }

TEST(PreparedShapes, areUsedAgain) {
    Prepared p = softmax();
    EXPECT_TRUE(p.shapes.empty());
    EXPECT_FALSE(p.shapes.use(keyOf(2)));
    p.shapes.add(keyOf(2));
    Segment const* const first = p.shapes.front().first.segment.get();
    p.shapes.add(keyOf(3));
    EXPECT_NE(p.shapes.front().first.segment.get(), first);
    EXPECT_TRUE(p.shapes.use(keyOf(2)));
    EXPECT_EQ(p.shapes.front().first.segment.get(), first);
    int const x = p.engine.shapeProgram().numberOf(p.engine.plan().graph.inputs()[0]);
    EXPECT_EQ(first->shapes().dims[static_cast<size_t>(x)], Dims{2});
    EXPECT_EQ(p.shapes.size(), 2U);
}

TEST(PreparedShapes, dropTheLeastRecentlyUsed) {
    Prepared p = softmax();
    constexpr auto kKept = static_cast<int64_t>(PreparedShapes::kKept);
    for (int64_t n = 1; n <= kKept; ++n) p.shapes.add(keyOf(n));
    EXPECT_TRUE(p.shapes.use(keyOf(1)));
    EXPECT_EQ(p.shapes.size(), PreparedShapes::kKept);
    p.shapes.add(keyOf(kKept + 1));
    EXPECT_EQ(p.shapes.size(), PreparedShapes::kKept);
    EXPECT_FALSE(p.shapes.use(keyOf(2))) << "the least recently used";
    for (int64_t n : {int64_t{1}, int64_t{3}, kKept, kKept + 1}) EXPECT_TRUE(p.shapes.use(keyOf(n))) << n;
}

TEST(PreparedShapes, areThoseOfTheValuesOfShapeTensors) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {1});
    graph.markOutput(graph.emit(Expand{}, {x, graph.addInput("s", DataType::Int64, {1})}));
    Prepared p(graph, {{"s", {{1}, {1}, {1}, {1}, {2}, {4}}}});
    auto const key = [](int64_t value) { return Key{{Dims{1}, {}}, {Dims{1}, test::ints({1}, {value})}}; };
    p.shapes.add(key(2));
    EXPECT_FALSE(p.shapes.use(key(3)));
    EXPECT_TRUE(p.shapes.use(key(2)));
}

TEST(PreparedShapes, areAnnouncedToPluginsOnlyWhenTheseKnowOthers) {
    test::FakeLog log;
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Node* const keep = graph.add(std::make_unique<PluginLayer>(std::make_unique<test::FakePlugin>(log)), {x}, "keep");
    graph.markOutput(keep->output(0));
    Prepared p(graph, {{"x", {{1}, {4}, {8}, {}, {}, {}}}});
    auto const announcements = [&] {
        int const before = log.calls["shapesChanged"];
        p.shapes.announce(*p.shapes.front().first.segment);
        return log.calls["shapesChanged"] - before;
    };
    p.shapes.add(keyOf(2));
    EXPECT_EQ(announcements(), 0) << "known since the segment was made";
    p.shapes.add(keyOf(3));
    EXPECT_EQ(announcements(), 0);
    EXPECT_TRUE(p.shapes.use(keyOf(2)));
    EXPECT_EQ(announcements(), 1);
    EXPECT_EQ(announcements(), 0);
}

} // namespace
} // namespace tenon
