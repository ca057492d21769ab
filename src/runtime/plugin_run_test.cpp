// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/constant/constant.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/reduce/reduce.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "runtime/context.h"
#include "support/fake_plugin.h"
#include "support/layer_case.h"

namespace tenon {
namespace {

using test::FakeLog;
using test::FakePlugin;

/// x [N] → kept elements [M], their number, and the softmax of the kept ones
Graph network(FakeLog& log) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Node* keep = graph.add(std::make_unique<PluginLayer>(std::make_unique<FakePlugin>(log)), {x}, "keep");
    keep->output(0)->name = "kept";
    keep->output(1)->name = "count";
    Tensor* soft = graph.emit(Softmax{}, {keep->output(0)}, "softmax");
    soft->name = "soft";
    for (Tensor* output : {keep->output(0), keep->output(1), soft}) graph.markOutput(output);
    return graph;
}

BuildConfig config() {
    BuildConfig config;
    config.profiles = {{{"x", {{1}, {4}, {8}, {}, {}, {}}}}};
    return config;
}

struct VectorSink final : OutputSink {
    std::vector<float> values;
    Dims dims;
    void* allocate(std::string const&, size_t bytes) override {
        values.resize(bytes / sizeof(float));
        return values.data();
    }
    void shapeIs(std::string const&, Dims const& found) override { dims = found; }
};

struct Running {
    explicit Running(FakeLog& log) : engine(build(network(log), config())), context(engine, 1) {
        context.setSink(outputs()[0], &kept);
        context.setAddress(outputs()[1], &count);
        context.setSink(outputs()[2], &soft);
    }
    std::vector<Tensor*> const& outputs() const { return engine.plan().graph.outputs(); }
    void run(std::vector<float> values) {
        Tensor const* x = engine.plan().graph.inputs()[0];
        context.setInputShape(x, {static_cast<int64_t>(values.size())});
        context.setAddress(x, values.data());
        context.enqueue(nullptr);
    }

    Engine engine;
    Context context;
    VectorSink kept;
    VectorSink soft;
    int64_t count = -1;
};

TEST(PluginRun, deliversOutputsOfTheSizeThatTheRunFound) {
    FakeLog log;
    Running r(log);
    r.run({1, -2, 3, -4});
    EXPECT_EQ(r.kept.values, (std::vector<float>{1, 3}));
    EXPECT_EQ(r.kept.dims, Dims{2});
    EXPECT_EQ(r.count, 2);
    ASSERT_EQ(r.soft.dims, Dims{2});
    EXPECT_NEAR(r.soft.values[0], 0.11920292F, 1e-6); // 1 / (1 + e^2)
    EXPECT_NEAR(r.soft.values[1], 0.88079708F, 1e-6);
}

TEST(PluginRun, takesAnotherSizeOnEveryRun) {
    FakeLog log;
    Running r(log);
    for (int64_t kept : {3, 0, 1, 3}) {
        std::vector<float> values(4, -1);
        std::fill_n(values.begin(), kept, 1.0F);
        r.run(values);
        EXPECT_EQ(r.soft.dims, Dims{kept});
        for (float share : r.soft.values) EXPECT_NEAR(share, 1.0 / static_cast<double>(kept), 1e-6);
    }
}

/// x [N] → the kept ones [M] as a column, times a row, summed over M: [4]
Graph networkOfProducts(FakeLog& log) {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Node* keep = graph.add(std::make_unique<PluginLayer>(std::make_unique<FakePlugin>(log)), {x}, "keep");
    Tensor* column = graph.emit(Shuffle::reshaping({0, 1}), {keep->output(0)});
    Tensor* row = graph.emit(Constant(test::floats({1, 4}, {1, 2, 3, 4})), {});
    Reduce sum;
    sum.axes = {0};
    graph.markOutput(graph.emit(sum, {graph.emit(MatrixMultiply{}, {column, row})}));
    return graph;
}

TEST(PluginRun, computesWithAsManyRowsAsWereKeptAndWithNone) {
    FakeLog log;
    Engine const engine(build(networkOfProducts(log), config()));
    Context context(engine, 1);
    std::vector<float> y(4);
    context.setAddress(engine.plan().graph.outputs()[0], y.data());
    auto const run = [&](std::vector<float> x) {
        context.setInputShape(engine.plan().graph.inputs()[0], {static_cast<int64_t>(x.size())});
        context.setAddress(engine.plan().graph.inputs()[0], x.data());
        context.enqueue(nullptr);
        return y;
    };
    EXPECT_EQ(run({1, -2, 2, -3}), (std::vector<float>{3, 6, 9, 12}));
    EXPECT_EQ(run({-1, -2, -2, -3}), (std::vector<float>{0, 0, 0, 0}));
    EXPECT_EQ(run({1, -2, -2, -3}), (std::vector<float>{1, 2, 3, 4}));
}

TEST(PluginRun, tellsThePluginOnlyWhenShapesChange) {
    FakeLog log;
    Running r(log);
    r.run({1, 2});
    r.run({3, 4});
    EXPECT_EQ(log.calls["shapesChanged"], 1);
    r.run({3, 4, 5});
    EXPECT_EQ(log.calls["shapesChanged"], 2);
}

TEST(PluginRun, pairsEveryCallOfAPluginsLife) {
    FakeLog log;
    {
        Running r(log);
        Context const second(r.engine, 1);
        EXPECT_EQ(log.calls["configure"], 1); // for its workspace, for the engine and permanently
        EXPECT_EQ(log.calls["start"], 1);
        EXPECT_EQ(log.calls["attach"], 2);
    }
    EXPECT_EQ(log.calls["stop"], 1);
    EXPECT_EQ(log.calls["detach"], 2);
    EXPECT_EQ(log.calls["made"], log.calls["destroyed"]);
}

TEST(PluginRun, namesThePluginThatFailsAndGoesOn) {
    FakeLog log;
    Running r(log);
    log.throwInEnqueue = true;
    EXPECT_EQ(test::errorOf([&] { r.run({1}); }), "keep (Plugin): enqueue returned 7, expected 0");
    log.throwInEnqueue = false;
    r.run({1});
    EXPECT_EQ(r.count, 1);
}

TEST(PluginRun, refusesImpossibleSizes) {
    FakeLog log;
    Running r(log);
    log.sizeSaid = -5;
    EXPECT_EQ(test::errorOf([&] { r.run({1}); }), "keep (Plugin): size tensor count is -5; expected 0 or more");
    log.sizeSaid = 9;
    EXPECT_EQ(test::errorOf([&] { r.run({1}); }),
              "keep (Plugin): size tensor count is 9; the plugin declared at most 1 for inputs of these shapes");
}

TEST(PluginRun, showsWhatAPluginRefused) {
    FakeLog log;
    log.acceptNothing = true;
    EXPECT_EQ(test::errorOf([&] { build(network(log), config()); }),
              "keep (Plugin): the plugin accepts no combination of types and formats. Queries and results:\nfloat32 "
              "linear: no");
}

} // namespace
} // namespace tenon
