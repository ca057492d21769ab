// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/context.h"

#include "layers/constant/constant.h"
#include "layers/expand/expand.h"
#include "layers/gather/gather.h"
#include "layers/non_zero/non_zero.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/run_engine.h"

#include <map>

namespace tenon {
namespace {

/// softmax over the last axis of x [N,3], N from 1 to 8
Graph network() {
    Graph graph;
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N"), 3});
    Tensor* y = graph.emit(Softmax{}, {x}, "softmax");
    y->name = "y";
    graph.markOutput(y);
    return graph;
}

BuildConfig config() {
    BuildConfig config;
    config.profiles = {{{"x", {{1, 3}, {2, 3}, {8, 3}, {}, {}, {}}}}};
    return config;
}

struct Running {
    Engine engine{build(network(), config())};
    Context context{engine, 1};
    Tensor const* x = engine.plan().graph.inputs()[0];
    Tensor const* y = engine.plan().graph.outputs()[0];
};

std::vector<float> const kInput{1, 2, 3, 1, 1, 1};
std::vector<float> const kExpected{0.09003057F, 0.24472848F, 0.66524094F, 1 / 3.F, 1 / 3.F, 1 / 3.F};

void runAndCompare(Running& r, int64_t rows) {
    std::vector<float> in(kInput.begin(), kInput.begin() + rows * 3);
    std::vector<float> out(in.size());
    r.context.setInputShape(r.x, {rows, 3});
    r.context.setAddress(r.x, in.data());
    r.context.setAddress(r.y, out.data());
    r.context.enqueue(nullptr);
    for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], kExpected[i], 1e-6);
}

TEST(Context, runsAtEveryShapeOfTheProfile) {
    Running r;
    runAndCompare(r, 2);
    runAndCompare(r, 1);
    runAndCompare(r, 2);
    EXPECT_EQ(r.context.shapeOf(r.y), (Dims{2, 3}));
}

TEST(Context, refusesAShapeOutsideOfTheProfileAndStaysUsable) {
    Running r;
    EXPECT_EQ(
        test::errorOf([&] {
            r.context.setInputShape(r.x, {9, 3});
        }),
        "input x has shape [9,3]; axis 0 is outside 1 to 8, the range of optimization profile 0 ([1,3] to [8,3])");
    EXPECT_EQ(test::errorOf([&] { r.context.setInputShape(r.x, {2, 4}); }), "input x has shape [2,4]; expected [N,3]");
    runAndCompare(r, 2);
}

TEST(Context, saysWhichBindingIsMissing) {
    Running r;
    EXPECT_EQ(test::errorOf([&] { r.context.enqueue(nullptr); }),
              "input x has shape [N,3]; set its shape before running");
    r.context.setInputShape(r.x, {1, 3});
    EXPECT_EQ(test::errorOf([&] { r.context.enqueue(nullptr); }),
              "input x has no address; set it with setTensorAddress or in the array of bindings before running");
    std::vector<float> in(3, 1);
    r.context.setAddress(r.x, in.data());
    EXPECT_EQ(test::errorOf([&] { r.context.enqueue(nullptr); }),
              "output y has no address; set it with setTensorAddress or in the array of bindings before running");
    runAndCompare(r, 2);
}

TEST(Context, needsNoAddressOfTensorsWithoutElements) {
    BuildConfig fromNone = config();
    fromNone.profiles.front().at("x").min = {0, 3};
    Engine const engine(build(network(), fromNone));
    Context context(engine, 1);
    context.setInputShape(engine.plan().graph.inputs()[0], {0, 3});
    context.enqueue(nullptr);
    EXPECT_EQ(context.shapeOf(engine.plan().graph.outputs()[0]), (Dims{0, 3}));
}

TEST(Context, saysWhichTensorIsLargerThanTheDevice) {
    Graph graph; // 2^45 bytes
    Tensor* x = graph.addInput("x", DataType::Float32, {1});
    Tensor* y = graph.emit(Expand{}, {x, graph.emit(Constant(test::ints({1}, {int64_t{1} << 43})), {})}, "large");
    y->name = "y";
    graph.markOutput(y);
    Engine const engine(build(graph, {}));
    Context context(engine, 1);
    std::string const error = test::errorOf([&] { context.prepare(); });
    EXPECT_EQ(
        error.find("large (Expand): its output y float32[8796093022208] takes 35184372088832 bytes; the cpu has "), 0U)
        << error;
}

TEST(Context, refusesToComputeShapesFromHugeTensors) {
    Graph graph; // y has as many elements as 2^40 copies of the extent of x
    Tensor* x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* copies = graph.emit(
        Expand{}, {graph.emit(ShapeOf{}, {x}), graph.emit(Constant(test::ints({1}, {int64_t{1} << 40})), {})},
        "copies");
    Tensor* one = graph.emit(Gather{}, {copies, graph.emit(Constant(test::ints({1}, {5})), {})});
    graph.markOutput(graph.emit(Expand{}, {graph.emit(Constant(test::floats({1}, {1})), {}), one}));
    BuildConfig some;
    some.profiles = {{{"x", {{1}, {1}, {1}, {}, {}, {}}}}};
    EXPECT_EQ(test::errorOf([&] { build(graph, some); }),
              "copies (Expand): output copies:0 int64[1099511627776] decides shapes and requires 8796093022208 bytes; "
              "at most 268435456 are computed before the run");
}

TEST(Build, wantsAProfileForDynamicInputs) {
    EXPECT_EQ(test::errorOf([] { build(network(), {}); }),
              "input x has shape [N,3]; set a range in an optimization profile");
}

TEST(Build, wantsAnOutput) {
    EXPECT_EQ(test::errorOf([] { build(Graph(), {}); }), "the network has no output; mark one");
}

/// Selects the nonzero elements of x [N], then repeatedly those of the previous result.
Graph pickedAgainAndAgain(int times) {
    Graph graph;
    auto const pick = [&](Tensor* from, Tensor* by) {
        Tensor* const places = graph.emit(Shuffle::reshaping({-1}), {graph.emit(NonZero(), {by})});
        return graph.emit(Gather{}, {from, places});
    };
    Tensor* const x = graph.addInput("x", DataType::Float32, {DimExpr::symbol("N")});
    Tensor* const first = pick(x, x);
    Tensor* last = first;
    for (int i = 0; i < times; ++i) last = pick(first, last);
    graph.markOutput(last);
    return graph;
}

/// Each selection begins a segment, which reads results of a previous one.
TEST(Context, runsMoreSegmentsThanItKeepsShapes) {
    BuildConfig config;
    config.profiles = {{{"x", {{1}, {4}, {8}, {}, {}, {}}}}};
    test::EngineRun engine(pickedAgainAndAgain(30), config);
    for (int n = 1; n <= 8; ++n) {
        std::vector<float> x(static_cast<size_t>(n), 0);
        x.back() = static_cast<float>(n);
        EXPECT_EQ(engine.run({test::floats({n}, x)})[0], test::floats({1}, {static_cast<float>(n)}));
        x.front() = 3;
        if (n == 1) continue;
        EXPECT_EQ(engine.run({test::floats({n}, x)})[0], test::floats({2}, {3, static_cast<float>(n)}));
    }
}

/// x [2,3] → a [6] → softmax b [6] → y [3,2] and, of y, z [6] → softmax w [6]
Graph viewsAllAround() {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {2, 3});
    Tensor* const a = graph.emit(Shuffle::reshaping({6}), {x}, "a");
    Tensor* const b = graph.emit(Softmax{}, {a}, "b");
    Tensor* const y = graph.emit(Shuffle::reshaping({3, 2}), {b}, "y");
    Tensor* const z = graph.emit(Shuffle::reshaping({6}), {y}, "z");
    Tensor* const w = graph.emit(Softmax{}, {z}, "w");
    for (Tensor* const output : {y, w}) graph.markOutput(output);
    return graph;
}

// exp(i) / the sum of those of 0 to 5, and the same of that
std::vector<float> const kShares{0.00426978F, 0.01160646F, 0.03154963F, 0.08576079F, 0.23312201F, 0.63369132F};
std::vector<float> const kSharesOfShares{0.13786251F, 0.13887768F, 0.14167515F, 0.14956752F, 0.17331472F, 0.25870242F};

TEST(Context, copiesNoViewsOfWhatTheCallerHolds) {
    Engine const engine(build(viewsAllAround(), {}));
    Context context(engine, 1);
    std::map<std::string, void const*> places;
    context.setWatch(
        [&](Tensor const& tensor, Dims const&, void const* data) { places[tensor.producer()->name] = data; });
    std::vector<float> const x{0, 1, 2, 3, 4, 5};
    for (int run = 0; run < 2; ++run) { // each time at other addresses
        std::vector<float> in = x;
        std::vector<float> y(6);
        std::vector<float> w(6);
        auto const outputs = engine.plan().graph.outputs();
        context.setAddress(engine.plan().graph.inputs()[0], in.data());
        context.setAddress(outputs[0], y.data());
        context.setAddress(outputs[1], w.data());
        context.enqueue(nullptr);
        EXPECT_EQ(places["a"], in.data());
        EXPECT_EQ(places["b"], y.data());
        EXPECT_EQ(places["z"], y.data());
        for (size_t i = 0; i < 6; ++i) {
            EXPECT_NEAR(y[i], kShares[i], 1e-6);
            EXPECT_NEAR(w[i], kSharesOfShares[i], 1e-6);
        }
    }
}

TEST(Context, writesOutputsThatAreOneTensorInSeveralShapes) {
    Graph graph;
    Tensor* const shares = graph.emit(Softmax{}, {graph.addInput("x", DataType::Float32, {6})});
    for (Dims const& dims : {Dims{2, 3}, Dims{3, 2}, Dims{1, 6}})
        graph.markOutput(graph.emit(Shuffle::reshaping({dims.begin(), dims.end()}), {shares}));
    graph.markOutput(graph.emit(Softmax{}, {shares}));
    auto const found = test::runEngine(graph, {test::floats({6}, {0, 1, 2, 3, 4, 5})});
    for (size_t i = 0; i < 6; ++i) {
        for (size_t output = 0; output < 3; ++output) EXPECT_NEAR(found[output].as<float>()[i], kShares[i], 1e-6);
        EXPECT_NEAR(found[3].as<float>()[i], kSharesOfShares[i], 1e-6);
    }
}

TEST(Context, copiesAnInputThatIsAnOutputInAnotherShape) {
    Graph graph;
    Tensor* const x = graph.addInput("x", DataType::Float32, {2, 3});
    Tensor* const y = graph.emit(Shuffle::reshaping({6}), {x});
    graph.markOutput(y);
    graph.markOutput(graph.emit(Shuffle::reshaping({3, 2}), {y}));
    auto const found = test::runEngine(graph, {test::floats({2, 3}, {0, 1, 2, 3, 4, 5})});
    EXPECT_EQ(found[0], test::floats({6}, {0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(found[1], test::floats({3, 2}, {0, 1, 2, 3, 4, 5}));
}

} // namespace
} // namespace tenon
