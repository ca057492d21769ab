// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/loop/loop.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "runtime/context.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

#include <numeric>

namespace tenon {
namespace {

/// s [1,n] → s · w + 1, with the outer tensors that the body reads as its last input.
Loop multiplying() {
    Loop loop;
    loop.carried = 1;
    loop.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {1, 2});
    Tensor* const w = loop.body.addInput("w", DataType::Float32, {2, 2});
    Tensor* const one = loop.body.emit(Constant(test::floats({1, 1}, {1})), {});
    Tensor* const product = loop.body.emit(MatrixMultiply{}, {s, w}, "multiply");
    loop.body.markOutput(goesOn);
    loop.body.markOutput(loop.body.emit(elementwise(PointwiseOp::Sum), {product, one}, "add"));
    return loop;
}

/// count [] and s [1,2] → s after the iterations, each of which computes s · w + 1.
Graph network() {
    Graph graph;
    Tensor* const trips = graph.addInput("trips", DataType::Int64, {});
    Tensor* const s = graph.addInput("s", DataType::Float32, {1, 2});
    Tensor* const w = graph.emit(Constant(test::floats({2, 2}, {1, 1, 0, 2})), {});
    Node* const loop = graph.add(std::make_unique<Loop>(multiplying()), {trips, nullptr, s, w}, "loop");
    graph.markOutput(loop->output());
    return graph;
}

std::vector<Literal> inputs(int64_t trips) { return {Literal::scalar(trips), test::floats({1, 2}, {1, 0})}; }

/// One iteration after the other in float32, which is exact for these.
std::vector<float> expected(int64_t trips) {
    float a = 1;
    float b = 0;
    for (int64_t trip = 0; trip < trips; ++trip) {
        b = a + 2 * b + 1;
        a += 1;
    }
    return {a, b};
}

TEST(BodyRun, runsTheBodyByKernels) {
    Plan const plan = build(network(), {});
    ASSERT_EQ(plan.nodes.size(), 1U);
    ASSERT_EQ(plan.nodes[0].bodies.size(), 1U);
    auto const& steps = plan.nodes[0].bodies[0]->nodes;
    ASSERT_EQ(steps.size(), 1U) << "the sum is computed with the product";
    EXPECT_TRUE(steps[0].packed) << "the constant that it reads from around it is packed";
}

TEST(BodyRun, makesTheTripsThatAreAsked) {
    test::EngineRun run(network(), {});
    for (int64_t const trips : {3, 1, 0, 7, -1}) EXPECT_EQ(run.run(inputs(trips))[0].toFloat(), expected(trips));
}

TEST(BodyRun, standsInAPlanFile) {
    auto const bytes = writePlan(build(network(), {}));
    Plan plan = readPlan(bytes);
    EXPECT_EQ(writePlan(plan), bytes);
    Engine const engine(std::move(plan));
    Context context(engine, 1);
    int64_t trips = 4;
    std::vector<float> s{1, 0};
    std::vector<float> y(2);
    Graph const& graph = engine.plan().graph;
    context.setAddress(graph.inputs()[0], &trips);
    context.setAddress(graph.inputs()[1], s.data());
    context.setAddress(graph.outputs()[0], y.data());
    context.enqueue(nullptr);
    EXPECT_EQ(y, expected(4));
}

/// s [1] → s + 1, repeated while that is less than w [1]: no iteration count, or one of `trips`.
Graph countingUp(bool hasTrips, bool hasCondition) {
    Loop loop;
    loop.carried = 1;
    loop.counted = false;
    loop.body.addInput("trip", DataType::Int64, {});
    loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {1});
    Tensor* const w = loop.body.addInput("w", DataType::Float32, {1});
    Tensor* const one = loop.body.emit(Constant(test::floats({1}, {1})), {});
    Tensor* const next = loop.body.emit(elementwise(PointwiseOp::Sum), {s, one}, "add");
    loop.body.markOutput(loop.body.emit(elementwise(PointwiseOp::Less), {next, w}, "less"));
    loop.body.markOutput(next);
    Graph graph;
    Tensor* const trips = hasTrips ? graph.addInput("trips", DataType::Int64, {}) : nullptr;
    Tensor* const condition = hasCondition ? graph.addInput("condition", DataType::Bool, {}) : nullptr;
    Tensor* const first = graph.addInput("s", DataType::Float32, {1});
    Tensor* const limit = graph.addInput("w", DataType::Float32, {1});
    graph.markOutput(graph.add(std::make_unique<Loop>(loop), {trips, condition, first, limit}, "loop")->output());
    return graph;
}

std::vector<Literal> from0To3() { return {test::floats({1}, {0}), test::floats({1}, {3})}; }

TEST(BodyRun, beginsALoopOnlyIfItsConditionHolds) {
    test::EngineRun run(countingUp(false, true), {});
    auto const y = [&](bool condition) {
        auto in = from0To3();
        in.insert(in.begin(), Literal::scalar(condition));
        return run.run(in)[0];
    };
    EXPECT_EQ(y(true), test::floats({1}, {3}));
    EXPECT_EQ(y(false), test::floats({1}, {0}));
    EXPECT_EQ(y(true), test::floats({1}, {3}));
}

TEST(BodyRun, beginsALoopWithoutACondition) {
    test::EngineRun run(countingUp(false, false), {});
    EXPECT_EQ(run.run(from0To3())[0], test::floats({1}, {3}));
}

TEST(BodyRun, endsALoopAtTheTripCountOrByItsConditionWhicheverIsFirst) {
    test::EngineRun run(countingUp(true, true), {});
    auto const y = [&](int64_t trips, bool condition) {
        auto in = from0To3();
        in.insert(in.begin(), {Literal::scalar(trips), Literal::scalar(condition)});
        return run.run(in)[0].toFloat()[0];
    };
    EXPECT_EQ(y(2, true), 2);
    EXPECT_EQ(y(7, true), 3);
    EXPECT_EQ(y(2, false), 0);
    EXPECT_EQ(y(0, true), 0);
}

/// All iterations run, whatever the condition before the first one is.
TEST(BodyRun, beginsACountedLoopWithoutReadingItsCondition) {
    Graph graph = network();
    Node* const loop = graph.nodes().back().get();
    ASSERT_TRUE(as<Loop>(*loop->layer)->counted);
    graph.setInput(loop, Loop::kCondition, graph.addInput("condition", DataType::Bool, {}));
    test::EngineRun run(graph, {});
    for (bool const condition : {true, false}) {
        auto in = inputs(3);
        in.push_back(Literal::scalar(condition));
        EXPECT_EQ(run.run(in)[0].toFloat(), expected(3)) << condition;
    }
}

/// A loop in a loop: the outer one determines the inner count.
TEST(BodyRun, standsInAnother) {
    Loop outer;
    outer.carried = 1;
    Tensor* const trip = outer.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = outer.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = outer.body.addInput("s", DataType::Float32, {1, 2});
    Tensor* const w = outer.body.addInput("w", DataType::Float32, {2, 2});
    Node* const inner = outer.body.add(std::make_unique<Loop>(multiplying()), {trip, nullptr, s, w}, "inner");
    outer.body.markOutput(goesOn);
    outer.body.markOutput(inner->output());
    Graph graph = network();
    Node* const loop = graph.nodes().back().get();
    loop->layer = std::make_unique<Loop>(outer);
    Plan const plan = build(graph, {});
    ASSERT_EQ(plan.nodes[0].bodies.size(), 1U);
    EXPECT_EQ(plan.nodes[0].bodies[0]->nodes[0].bodies.size(), 1U);
    EXPECT_EQ(test::runEngine(graph, inputs(4))[0].toFloat(), expected(0 + 1 + 2 + 3));
}

/// The first iteration adds w [2] to s [1], and each sum is gathered; without an iteration s stays unchanged.
TEST(BodyRun, mayChangeTheShapeOfWhatItCarries) {
    Loop loop;
    loop.carried = 1;
    loop.body.addInput("trip", DataType::Int64, {});
    Tensor* const goesOn = loop.body.addInput("goes_on", DataType::Bool, {});
    Tensor* const s = loop.body.addInput("s", DataType::Float32, {1});
    Tensor* const w = loop.body.addInput("w", DataType::Float32, {2});
    Tensor* const sum = loop.body.emit(elementwise(PointwiseOp::Sum), {s, w}, "add");
    loop.body.markOutput(goesOn);
    loop.body.markOutput(sum);
    loop.body.markOutput(loop.body.emit(elementwise(PointwiseOp::Sum), {sum, sum}, "twice"));
    Graph graph;
    Tensor* const trips = graph.addInput("trips", DataType::Int64, {});
    Tensor* const first = graph.addInput("s", DataType::Float32, {1});
    Tensor* const step = graph.addInput("w", DataType::Float32, {2});
    Node* const node = graph.add(std::make_unique<Loop>(loop), {trips, nullptr, first, step}, "loop");
    for (Tensor* output : node->outputs()) graph.markOutput(output);
    auto const run = [&](int64_t count) {
        return test::runEngine(graph, {Literal::scalar(count), test::floats({1}, {1}), test::floats({2}, {2, 20})});
    };
    EXPECT_EQ(run(2)[0], test::floats({2}, {5, 41}));
    EXPECT_EQ(run(2)[1], test::floats({2, 2}, {6, 42, 10, 82}));
    EXPECT_EQ(run(0)[0], test::floats({1}, {1}));
}

/// Of a Conditional whose branches have different extents: that of s, and twice that.
TEST(BodyRun, takesOneBranch) {
    Conditional layer;
    Tensor* const a = layer.thenBody.addInput("a", DataType::Float32, {1, 2});
    layer.thenBody.markOutput(layer.thenBody.emit(elementwise(PointwiseOp::Sum), {a, a}, "sum"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {1, 2});
    Tensor* const w = layer.elseBody.emit(Constant(test::floats({2, 2}, {1, 2, 3, 4})), {});
    layer.elseBody.markOutput(layer.elseBody.emit(MatrixMultiply{}, {b, w}, "multiply"));
    Graph graph;
    Tensor* const condition = graph.addInput("condition", DataType::Bool, {});
    Tensor* const s = graph.addInput("s", DataType::Float32, {1, 2});
    graph.markOutput(graph.add(std::make_unique<Conditional>(layer), {condition, s, s}, "if")->output());
    ASSERT_EQ(build(graph, {}).nodes[0].bodies.size(), 2U);
    test::EngineRun run(graph, {});
    auto const y = [&](bool taken) {
        return run.run({Literal::scalar(taken), test::floats({1, 2}, {1, 10})})[0].toFloat();
    };
    EXPECT_EQ(y(true), (std::vector<float>{2, 20}));
    EXPECT_EQ(y(false), (std::vector<float>{31, 42}));
}

/// Graphs inside accept all shapes of the selected profile, whichever profile their kernels were chosen for.
TEST(BodyRun, takesTheShapesOfEachProfile) {
    Conditional layer;
    Tensor* const a = layer.thenBody.addInput("a", DataType::Float32, {DimExpr::symbol("n")});
    layer.thenBody.markOutput(layer.thenBody.emit(elementwise(PointwiseOp::Sum), {a, a}, "sum"));
    Tensor* const b = layer.elseBody.addInput("b", DataType::Float32, {DimExpr::symbol("n")});
    layer.elseBody.markOutput(layer.elseBody.emit(elementwise(PointwiseOp::Prod), {b, b}, "product"));
    Graph graph;
    Tensor* const condition = graph.addInput("condition", DataType::Bool, {});
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    graph.markOutput(graph.add(std::make_unique<Conditional>(layer), {condition, x, x}, "if")->output());
    BuildConfig config;
    for (auto const& [least, most] : {std::pair{1, 2}, std::pair{3, 8}})
        config.profiles.emplace_back()["x"] = {{least}, {least}, {most}, {}, {}, {}};
    Engine const engine(build(graph, config));
    Context context(engine, 1);
    context.setProfile(1);
    bool isTrue = true;
    std::vector<float> values{1, 2, 3, 4};
    std::vector<float> y(4);
    Graph const& io = engine.plan().graph;
    context.setInputShape(io.inputs()[1], {4});
    context.setAddress(io.inputs()[0], &isTrue);
    context.setAddress(io.inputs()[1], values.data());
    context.setAddress(io.outputs()[0], y.data());
    context.enqueue(nullptr);
    EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
}

TEST(BodyRun, refusesBodiesOfAnotherNode) {
    Plan plan = build(network(), {});
    plan.nodes[0].bodies.push_back(plan.nodes[0].bodies[0]);
    EXPECT_EQ(test::errorOf([&] { readPlan(writePlan(plan)); }),
              "loop (Loop): has 1 graphs inside; the engine has plans for 2");
    plan = build(network(), {});
    Graph& body = plan.nodes[0].bodies[0]->graph;
    body.unmarkOutput(body.outputs()[0]);
    EXPECT_EQ(test::errorOf([&] { readPlan(writePlan(plan)); }),
              "loop (Loop): the plan of graph 0 inside it does not fit it");
}

} // namespace
} // namespace tenon
