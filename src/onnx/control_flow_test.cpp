// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models with Loop and Scan, written in protobuf's text format.

#include "layers/loop/loop.h"
#include "plan/build.h"
#include "plan/file/plan_file.h"
#include "plan/own_weights.h"
#include "support/onnx_text.h"

namespace tenon::onnx {
namespace {

// ---- Loop

Names const kLoopInputs{"i", "go", "s"};

/// Sums x · i for `trips` trips, and stacks the sums.
std::string counted(int64_t trips) {
    return model(input("x", {2}) + number("trips", trips) + number("yes", 1, kBool) + number("zero", 0, kFloat) +
                     node("Mul", {"x", "zero"}, {"start"}) +
                     node("Loop", {"trips", "yes", "start"}, {"sum", "sums"},
                          body("body", kLoopInputs,
                               node("Cast", {"i"}, {"f"}, integer("to", 1)) + node("Mul", {"x", "f"}, {"p"}) +
                                   node("Add", {"s", "p"}, {"next"}) + node("Identity", {"go"}, {"on"}),
                               {"on", "next", "next"})),
                 {"sum", "sums"});
}

TEST(OnnxLoop, isItsTripsOneBehindTheOther) {
    expect(counted(3), {test::floats({2}, {1, 10})},
           {test::floats({2}, {3, 30}), test::floats({3, 2}, {0, 0, 1, 10, 3, 30})});
    Graph const graph = parsed(counted(3));
    EXPECT_NE(graph.tensorNamed("the_sum/1/p"), nullptr);
}

TEST(OnnxLoop, mayHaveNoTrips) {
    expect(counted(0), {test::floats({2}, {1, 10})}, {test::floats({2}, {0, 0}), test::floats({0, 2}, {})});
}

TEST(OnnxLoop, endsWhereItsConditionSays) {
    // while (n < 20) n = 2 n, from n = 3; the trip count is left out
    std::string const nodes = node("Add", {"n", "n"}, {"m"}) + node("Less", {"m", "most"}, {"on"}) +
                              node("Cast", {"m"}, {"f"}, integer("to", 1)) + node("Mul", {"f", "x"}, {"r"});
    expect(model(input("x", {}) + number("three", 3) + number("most", 20) +
                     node("Loop", {"", "", "three"}, {"n", "all"},
                          body("body", {"i", "go", "n"}, nodes, {"on", "m", "r"})),
                 {"n", "all"}),
           {test::floats({}, {0.5})}, {test::ints({}, {24}), test::floats({3}, {3, 6, 12})});
}

TEST(OnnxLoop, mayStandInALoopAndHoldAnIf) {
    std::string const inner =
        node("Equal", {"i", "j"}, {"same"}) +
        node("If", {"same"}, {"v"},
             body("then_branch", {}, node("Add", {"t", "x"}, {"q"}), {"q"}) + body("else_branch", {}, "", {"t"})) +
        node("Identity", {"go2"}, {"on2"});
    std::string const outer =
        node("Loop", {"trips", "go", "s"}, {"u"}, body("body", {"j", "go2", "t"}, inner, {"on2", "v"})) +
        node("Identity", {"go"}, {"on"});
    expect(model(input("x", {}) + number("trips", 4) + number("zero", 0, kFloat) +
                     node("Loop", {"trips", "", "zero"}, {"y"}, body("body", kLoopInputs, outer, {"on", "u"})),
                 {"y"}),
           {test::floats({}, {2})}, {test::floats({}, {8})});
}

TEST(OnnxLoop, refusesBodiesThatDoNotFit) {
    auto const with = [](Names const& inputs, std::string const& nodes, Names const& outputs, int64_t trips = 2) {
        return model(input("x", {}) + number("trips", trips) +
                         node("Loop", {"trips", "", "x"}, {"y"}, body("body", inputs, nodes, outputs)),
                     {"y"});
    };
    auto const on = node("Identity", {"go"}, {"on"});
    EXPECT_EQ(errorOf(with({"i", "go"}, on, {"on", "x"})),
              "the_y (Loop, opset 17, node 0): its body has 2 inputs; with 1 carried values expected 3");
    EXPECT_EQ(errorOf(with(kLoopInputs, on, {"on"})), "the_y (Loop, opset 17, node 0): its body has 1 outputs; the "
                                                      "node has 1 carried values and 1 outputs; expected at least 2");
    EXPECT_EQ(errorOf(with(kLoopInputs, on + node("Cast", {"s"}, {"t"}, integer("to", 6)), {"on", "t"})),
              "the_y (Loop, opset 17, node 0): value 0 that is carried is float32 and becomes int32; expected the same "
              "type in each iteration (add a cast)");
    EXPECT_EQ(errorOf(with({"i", "go", "go"}, on, {"on", "go"})),
              "the_y (Loop, opset 17, node 0): its body: the graph inside has two inputs or initializers named 'go'");
}

TEST(GraphsInside, mustNotGrowWithoutBounds) {
    std::string functions = "opset_import { domain: 'mine' version: 1 }\n";
    for (int i = 0; i < 20; ++i) {
        auto const call = node(text('F', i + 1), {"a"}, {"t"}, "domain: 'mine'");
        auto const twice = body("then_branch", {}, call, {"t"}) + body("else_branch", {}, "", {"a"});
        functions += text(
            "functions { name: 'F", i,
            "' domain: 'mine' input: 'a' output: 'r' opset_import { version: 17 } "
            "opset_import { domain: 'mine' version: 1 }\n",
            node("Constant", {}, {"yes"}, "attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } }"),
            node("If", {"yes"}, {"r"}, twice), node("If", {"yes"}, {"r2"}, twice), "}\n");
    }
    functions += text("functions { name: 'F20' domain: 'mine' input: 'a' output: 'r' opset_import { version: 17 }\n",
                      node("Relu", {"a"}, {"r"}), "}\n");
    auto const errors = errorsOf(model(input("x", {}) + node("F0", {"x"}, {"y"}, "domain: 'mine'"), {"y"}, functions));
    ASSERT_FALSE(errors.empty());
    EXPECT_NE(errors.front().find("the graphs inside of nodes expand to more than 100000 nodes"), std::string::npos)
        << errors.front();
}

TEST(GraphsInside, areReadToALimitOfDepth) {
    std::string nodes = node("Relu", {"x"}, {"a"});
    for (int depth = 0; depth < 40; ++depth) nodes = node("If", {"yes"}, {"a"}, body("then_branch", {}, nodes, {"a"}));
    EXPECT_NE(errorOf(model(nodes, {"a"}))
                  .find("messages are nested more than 100 deep; nested graphs are supported down to 33"),
              std::string::npos);
}

// ---- trip counts known only at run time

std::string const kOn = node("Identity", {"go"}, {"on"});

/// Runs `nodes` as often as the run decides; carries x as s, and stacks the last of `outputs`.
std::string repeated(std::string const& nodes, Names const& outputs, std::vector<int> const& dims = {2}) {
    Names made{"y", "all"};
    made.resize(outputs.size() - 1);
    return model(input("trips", {}, kInt64) + input("x", dims) +
                     node("Loop", {"trips", "", "x"}, made, body("body", kLoopInputs, nodes, outputs)),
                 made);
}

TEST(OnnxLoop, makesAsManyTripsAsTheRunSays) {
    auto const loop =
        repeated(kOn + node("Cast", {"i"}, {"f"}, integer("to", 1)) + node("Add", {"s", "f"}, {"n"}), {"on", "n", "n"});
    auto const x = test::floats({2}, {1, 10});
    expect(loop, {count(3), x}, {test::floats({2}, {4, 13}), test::floats({3, 2}, {1, 10, 2, 11, 4, 13})});
    expect(loop, {count(0), x}, {x, test::floats({0, 2}, {})});
    expect(loop, {count(-5), x}, {x, test::floats({0, 2}, {})});
}

TEST(OnnxLoop, mayBeTooLongToUnroll) {
    auto const loop = model(input("x", {}) + number("trips", 5000) + number("one", 1, kFloat) +
                                node("Loop", {"trips", "", "x"}, {"y"},
                                     body("body", kLoopInputs, kOn + node("Add", {"s", "one"}, {"n"}), {"on", "n"})),
                            {"y"});
    expect(loop, {test::floats({}, {1})}, {test::floats({}, {5001})});
    Graph const graph = parsed(loop);
    EXPECT_EQ(graph.tensorNamed("y")->producer()->kind(), "Loop");
}

/// Halves s until it is not above 1.
std::string const kHalving = node("Mul", {"s", "half"}, {"n"}) + node("Less", {"one", "n"}, {"on"});
std::string const kHalf = "initializer { name: 'half' data_type: 1 float_data: 0.5 }\n" + number("one", 1, kFloat);

TEST(OnnxLoop, mayEndByWhatItComputes) {
    auto const loop = model(input("x", {}) + kHalf +
                                node("Loop", {"", "", "x"}, {"y"}, body("body", kLoopInputs, kHalving, {"on", "n"})),
                            {"y"});
    expect(loop, {test::floats({}, {1024})}, {test::floats({}, {1})});
    expect(loop, {test::floats({}, {0.5})}, {test::floats({}, {0.25})});
}

TEST(OnnxLoop, mayGatherUntilItEnds) {
    auto const loop = model(
        input("trips", {}, kInt64) + input("x", {}) + kHalf +
            node("Loop", {"trips", "", "x"}, {"y", "all"}, body("body", kLoopInputs, kHalving, {"on", "n", "n"})) +
            node("Neg", {"all"}, {"z"}),
        {"y", "z"});
    expect(loop, {count(10), test::floats({}, {8})}, {test::floats({}, {1}), test::floats({3}, {-4, -2, -1})});
    expect(loop, {count(2), test::floats({}, {8})}, {test::floats({}, {2}), test::floats({2}, {-4, -2})});
    expect(loop, {count(0), test::floats({}, {8})}, {test::floats({}, {8}), test::floats({0}, {})});
    EXPECT_EQ(errorOf(model(
                  input("x", {}) + kHalf +
                      node("Loop", {"", "", "x"}, {"y", "all"}, body("body", kLoopInputs, kHalving, {"on", "n", "n"})),
                  {"y", "all"})),
              "the_y (Loop, opset 17, node 0): gathers a tensor in each iteration, and the number of iterations has no "
              "limit; set a trip count");
}

TEST(OnnxLoop, decidesShapesWhereItIsComputedOnTheHost) { // also if the trip count is known only at run time
    auto const nodes = node("Add", {"s", "s"}, {"n"}) + node("Less", {"n", "most"}, {"on"});
    auto const loop = model(
        input("trips", {}, kInt64) + input("x", {1}, kInt64) + number("most", 9) +
            node("Loop", {"trips", "", "x"}, {"size", "all"}, body("body", kLoopInputs, nodes, {"on", "n", "n"})) +
            node("ConstantOfShape", {"size"}, {"y"}),
        {"y", "all"});
    expect(loop, {count(10), test::ints({1}, {3})},
           {test::floats({12}, std::vector<float>(12, 0)), test::ints({2, 1}, {6, 12})});
}

TEST(OnnxLoop, mayCarryWhatGrows) {
    auto const loop = repeated(kOn + node("Concat", {"s", "s"}, {"n"}, integer("axis", 0)), {"on", "n"}, {1});
    expect(loop, {count(3), test::floats({1}, {7})}, {test::floats({8}, std::vector<float>(8, 7))});
    expect(loop, {count(0), test::floats({1}, {7})}, {test::floats({1}, {7})});
}

TEST(OnnxLoop, maySliceByTheNumberOfTheTrip) {
    // n = s + the sum of the first i + 1 elements of w
    auto const nodes = kOn + node("Add", {"i", "ones"}, {"end"}) + node("Slice", {"w", "zeros", "end"}, {"part"}) +
                       node("ReduceSum", {"part"}, {"sum"}) + node("Add", {"s", "sum"}, {"n"});
    auto const loop =
        model(input("trips", {}, kInt64) + input("x", {1}) + input("w", {4}) + list("zeros", 0) + list("ones", 1) +
                  node("Loop", {"trips", "", "x"}, {"y", "ends"}, body("body", kLoopInputs, nodes, {"on", "n", "end"})),
              {"y", "ends"});
    expect(loop, {count(3), test::floats({1}, {100}), test::floats({4}, {1, 2, 4, 8})},
           {test::floats({1}, {111}), test::ints({3, 1}, {1, 2, 3})});
}

TEST(OnnxLoop, mayHoldOthersThatOnlyTheRunKnows) {
    // in a loop whose trip count is the outer loop's current trip, j < i decides a branch
    auto const branch = node("Less", {"j", "i"}, {"less"}) +
                        node("If", {"less"}, {"v"},
                             body("then_branch", {}, node("Add", {"t", "x"}, {"q"}), {"q"}) +
                                 body("else_branch", {}, node("Neg", {"t"}, {"q"}), {"q"})) +
                        node("Identity", {"go2"}, {"on2"});
    auto const inner = kOn + node("Add", {"i", "one"}, {"most"}) +
                       node("Loop", {"most", "", "s"}, {"n"}, body("body", {"j", "go2", "t"}, branch, {"on2", "v"}));
    auto const loop = model(input("trips", {}, kInt64) + input("x", {}) + number("one", 1) +
                                node("Loop", {"trips", "", "x"}, {"y"}, body("body", kLoopInputs, inner, {"on", "n"})),
                            {"y"});
    // x = 1; i = 0: -1; i = 1: 0, then -0; i = 2: 1, 2, -2
    expect(loop, {count(3), test::floats({}, {1})}, {test::floats({}, {-2})});
}

TEST(OnnxLoop, refusesWhatNeverEnds) {
    EXPECT_EQ(
        errorOf(model(input("x", {}) + node("Loop", {"", "", "x"}, {"y"},
                                            body("body", kLoopInputs, kOn + node("Relu", {"s"}, {"n"}), {"on", "n"})),
                      {"y"})),
        "the_y (Loop, opset 17, node 0): never ends: it has no trip count, and its condition is always true");
}

TEST(OnnxLoop, refusesTooManyTripsAndGoesOn) {
    Graph const graph = parsed(repeated(kOn + node("Neg", {"s"}, {"n"}), {"on", "n"}));
    test::EngineRun engine(graph, {});
    auto const x = test::floats({2}, {1, 2});
    EXPECT_EQ(test::errorOf([&] {
                  engine.run({count(2'000'000), x});
              }),
              "the_y (Loop): has 2000000 iterations; expected at most 1000000");
    test::expectClose(engine.run({count(3), x})[0], test::floats({2}, {-1, -2}), 0, "afterwards");
}

TEST(OnnxLoop, refusesShapesThatNothingBounds) {
    auto const growing = node("Concat", {"s", "s"}, {"n"}, integer("axis", 0)) +
                         node("ReduceSum", {"n"}, {"sum"}, integer("keepdims", 0)) +
                         node("Less", {"sum", "most"}, {"on"});
    EXPECT_EQ(errorOf(model(input("x", {1}) + number("most", 9, kFloat) +
                                node("Loop", {"", "", "x"}, {"y"}, body("body", kLoopInputs, growing, {"on", "n"})),
                            {"y"})),
              "the_y (Loop, opset 17, node 0): value 0 that is carried has shape [1] before the first iteration and "
              "another one after it; a loop with a condition requires constant shapes; use a trip count and a "
              "condition that is always true, or a tensor of the largest shape that is filled incrementally");
    EXPECT_EQ(errorOf(repeated(kOn + node("ReduceSum", {"s"}, {"n"}, integer("keepdims", 0)), {"on", "n"})),
              "the_y (Loop, opset 17, node 0): value 0 that is carried has shape [2] before an iteration and [] after "
              "it; expected the same rank (add a reshape)");
}

TEST(OnnxLoop, isInAPlan) {
    auto const nodes = kOn + number("two", 2, kFloat) + node("Mul", {"s", "two"}, {"n"});
    Graph const graph = parsed(repeated(nodes, {"on", "n", "n"}));
    BuildConfig config;
    config.profiles = {{{"trips", {{}, {}, {}, {0}, {2}, {8}}}}};
    Plan const plan = build(graph, config);
    Engine const engine(readPlan(writePlan(plan), {}));
    Graph const& io = engine.plan().graph;
    EXPECT_EQ(print(io), print(plan.graph));
    Context context(engine);
    int64_t trips = 3;
    std::vector<float> x{1, 3};
    std::vector<float> y(2);
    std::vector<float> all(6);
    context.setAddress(io.inputs()[0], &trips);
    context.setAddress(io.inputs()[1], x.data());
    context.setAddress(io.outputs()[0], y.data());
    context.setAddress(io.outputs()[1], all.data());
    context.enqueue(nullptr);
    EXPECT_EQ(y, (std::vector<float>{8, 24}));
    EXPECT_EQ(all, (std::vector<float>{2, 6, 4, 12, 8, 24}));
}

TEST(GraphsInside, keepWhatTheProgramLends) {
    std::vector<float> const lent{1, 2};
    ParseOptions options;
    options.initializers["w"] = std::as_bytes(std::span(lent));
    auto const nodes = kOn + node("Add", {"s", "w"}, {"n"});
    auto const bytes =
        model(input("trips", {}, kInt64) + input("x", {2}) +
                  "initializer { name: 'w' data_type: 1 dims: 2 float_data: 0 float_data: 0 }\n" +
                  node("Loop", {"trips", "", "x"}, {"y"}, body("body", kLoopInputs, nodes, {"on", "n"})) +
                  node("Add", {"y", "w"}, {"z"}),
              {"z"});
    Graph graph;
    ASSERT_TRUE(parse(test::asBytes(bytes), graph, options));
    EXPECT_TRUE(graph.tensorNamed("w")->literal()->isLent());
    auto const& loop = *as<Loop>(*graph.tensorNamed("y")->producer()->layer);
    Literal const* const inside = loop.body.tensorNamed("w")->literal();
    ASSERT_NE(inside, nullptr);
    EXPECT_TRUE(inside->isLent());
    BuildConfig config;
    config.profiles = {{{"trips", {{}, {}, {}, {0}, {2}, {8}}}}};
    Plan plan = build(graph, config);
    ownWeights(plan);
    Graph const network = plan.network();
    forEachPlan(plan, [&](Plan const& one) {
        for (Graph const* owned : {&one.graph, &network}) {
            forEachNode(*owned, [](Node const& node) {
                EXPECT_FALSE(node.layer->constant() && node.layer->constant()->isLent()) << text(node);
            });
        }
    });
}

// ---- custom layers

/// The values of a plugin in a graph: twice its input.
struct Doubling final : LayerOf<Doubling> {
    static constexpr std::string_view kKind = "Plugin";
    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override { return {{in[0].type, in[0].shape}}; }
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override {
        for (size_t i = 0; i < out[0].as<float>().size(); ++i) out[0].as<float>()[i] = 2 * in[0].as<float>()[i];
    }
};

class DoublingOnly final : public CustomNodes {
public:
    std::vector<CustomType> registered(std::string const& name) const override {
        return name == "Doubling" ? std::vector<CustomType>{{name, "1", ""}} : std::vector<CustomType>();
    }
    std::vector<std::string> fieldNames(CustomType const&) const override { return {}; }
    std::unique_ptr<Layer> make(CustomNode const&) override { return std::make_unique<Doubling>(); }
    std::unique_ptr<Layer> deserialize(CustomNode const&) override { return nullptr; }
    std::string explainMissing(CustomType const&) const override { return {}; }
};

TEST(GraphsInside, mayHoldCustomLayers) {
    DoublingOnly plugins;
    ParseOptions options;
    options.customNodes = &plugins;
    auto const doubling = body("body", kLoopInputs, kOn + node("Doubling", {"s"}, {"n"}), {"on", "n"});
    Graph graph;
    auto const known =
        model(input("x", {}) + number("trips", 3) + node("Loop", {"trips", "", "x"}, {"y"}, doubling), {"y"});
    for (auto const& error : parse(test::asBytes(known), graph, options).errors) ADD_FAILURE() << error.text;
    test::expectClose(test::runGraph(graph, {test::floats({}, {5})})[0], test::floats({}, {40}), 0, "y");

    Graph open;
    auto const unknown =
        model(input("x", {}) + input("trips", {}, kInt64) + node("Loop", {"trips", "", "x"}, {"y"}, doubling), {"y"});
    for (auto const& error : parse(test::asBytes(unknown), open, options).errors) ADD_FAILURE() << error.text;
    auto const y = test::runGraph(open, {test::floats({}, {5}), Literal::scalar(int64_t{2})});
    test::expectClose(y[0], test::floats({}, {20}), 0, "y");
}

// ---- Scan

/// Running sums of the columns (axis 1) of x, from the last to the first.
TEST(OnnxScan, takesAxesAndDirections) {
    auto const list = [](std::string_view name, int64_t value) {
        return text("attribute { name: '", name, "' type: INTS ints: ", value, " }");
    };
    std::string const nodes = node("Add", {"s", "column"}, {"sum"}) + node("Identity", {"sum"}, {"row"});
    expect(model(input("x", {2, 3}) + input("start", {2}) +
                     node("Scan", {"start", "x"}, {"last", "sums"},
                          integer("num_scan_inputs", 1) + list("scan_input_axes", -1) +
                              list("scan_input_directions", 1) + list("scan_output_axes", -1) +
                              list("scan_output_directions", 1) + body("body", {"s", "column"}, nodes, {"sum", "row"})),
                 {"last", "sums"}),
           {test::floats({2, 3}, {1, 2, 3, 4, 5, 6}), test::floats({2}, {10, 20})},
           {test::floats({2}, {16, 35}), test::floats({2, 3}, {16, 15, 13, 35, 31, 26})});
}

TEST(OnnxScan, takesExtentsThatOnlyTheRunKnows) {
    auto const one = [](std::string_view name, int64_t value) {
        return text("attribute { name: '", name, "' type: INTS ints: ", value, " }");
    };
    auto const nodes = node("Add", {"s", "column"}, {"sum"}) + node("Mul", {"sum", "w"}, {"row"});
    auto const scan =
        model(input("x", {2, -1}) + input("start", {2}) + input("w", {}) +
                  node("Scan", {"start", "x"}, {"last", "sums"},
                       integer("num_scan_inputs", 1) + one("scan_input_axes", -1) + one("scan_input_directions", 1) +
                           one("scan_output_axes", -1) + one("scan_output_directions", 1) +
                           body("body", {"s", "column"}, nodes, {"sum", "row"})),
              {"last", "sums"});
    auto const start = test::floats({2}, {10, 20});
    expect(scan, {test::floats({2, 3}, {1, 2, 3, 4, 5, 6}), start, test::floats({}, {2})},
           {test::floats({2}, {16, 35}), test::floats({2, 3}, {32, 30, 26, 70, 62, 52})});
    expect(scan, {test::floats({2, 0}, {}), start, test::floats({}, {2})}, {start, test::floats({2, 0}, {})});
}

TEST(OnnxScan, mayScanNothing) {
    expect(model(input("x", {0, 2}) + input("start", {2}) +
                     node("Scan", {"start", "x"}, {"last", "sums"},
                          integer("num_scan_inputs", 1) +
                              body("body", {"s", "r"}, node("Add", {"s", "r"}, {"sum"}) + node("Relu", {"sum"}, {"p"}),
                                   {"sum", "p"})),
                 {"last", "sums"}),
           {test::floats({0, 2}, {}), test::floats({2}, {1, 2})},
           {test::floats({2}, {1, 2}), test::floats({0, 2}, {})});
}

TEST(OnnxScan, refusesWhatDoesNotFit) {
    auto const with = [](std::vector<int> const& a, std::vector<int> const& b, std::string const& attributes) {
        return model(input("a", a) + input("b", b) +
                         node("Scan", {"a", "b"}, {"y"},
                              attributes + body("body", {"p", "q"}, node("Add", {"p", "q"}, {"r"}), {"r"})),
                     {"y"});
    };
    EXPECT_EQ(
        errorOf(with({3, 2}, {2, 2}, integer("num_scan_inputs", 2))),
        "the_y (Scan, opset 17, node 0): scans 3 elements of one input and 2 of b [2,2]; their numbers must be equal");
    EXPECT_EQ(
        errorOf(with({3, 2}, {2, 2}, integer("num_scan_inputs", 3))),
        "the_y (Scan, opset 17, node 0): attribute 'num_scan_inputs' is 3; expected 1 to 2, the number of inputs");
    EXPECT_EQ(errorOf(with({2}, {}, integer("num_scan_inputs", 1))),
              "the_y (Scan, opset 17, node 0): scans input b [] along axis 0, which it does not have");
    EXPECT_EQ(
        errorOf(with({2}, {2},
                     integer("num_scan_inputs", 1) + "attribute { name: 'scan_input_directions' type: INTS ints: 2 }")),
        "the_y (Scan, opset 17, node 0): attribute 'scan_input_directions' holds 2; expected 0 (forward) or 1 "
        "(backward)");
    EXPECT_EQ(errorOf(with({2}, {2},
                           integer("num_scan_inputs", 1) +
                               "attribute { name: 'scan_input_axes' type: INTS ints: 0 ints: 1 }")),
              "the_y (Scan, opset 17, node 0): attribute 'scan_input_axes' has 2 numbers; expected 1");
}

} // namespace
} // namespace tenon::onnx
