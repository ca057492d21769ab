// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models with If, Loop and Scan, written in protobuf's text format.

#include "base/error.h"
#include "layers/loop/loop.h"
#include "plan/build.h"
#include "plan/own_weights.h"
#include "plan/plan_file.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

constexpr int kFloat = 1;
constexpr int kInt64 = 7;
constexpr int kBool = 9;

using Names = std::vector<std::string>;

std::string each(std::string_view field, Names const& names) {
    std::string all;
    for (auto const& name : names) all += text(' ', field, ": '", name, '\'');
    return all;
}

std::string node(std::string_view op, Names const& inputs, Names const& outputs, std::string_view attributes = "") {
    return text("node { op_type: '", op, "' name: '", outputs.empty() ? "" : "the_" + outputs[0], '\'',
                each("input", inputs), each("output", outputs), ' ', attributes, " }\n");
}

std::string integer(std::string_view name, int64_t value) {
    return text("attribute { name: '", name, "' type: INT i: ", value, " }");
}

/// An attribute that holds a graph.
std::string body(std::string_view name, Names const& inputs, std::string_view nodes, Names const& outputs) {
    std::string graph;
    for (auto const& input : inputs) graph += text("input { name: '", input, "' } ");
    for (auto const& output : outputs) graph += text("output { name: '", output, "' } ");
    return text("attribute { name: '", name, "' type: GRAPH g { ", nodes, graph, "} }\n");
}

std::string number(std::string_view name, int64_t value, int type = kInt64) {
    std::string_view const field = type == kFloat ? "float_data: " : type == kBool ? "int32_data: " : "int64_data: ";
    return text("initializer { name: '", name, "' data_type: ", type, ' ', field, value, " }\n");
}

std::string list(std::string_view name, int64_t value) {
    return text("initializer { name: '", name, "' data_type: 7 dims: 1 int64_data: ", value, " }\n");
}

std::string input(std::string_view name, std::vector<int> const& dims, int type = kFloat) {
    std::string shape;
    for (int const dim : dims)
        shape += dim < 0 ? std::string("dim { dim_param: 'N' } ") : text("dim { dim_value: ", dim, " } ");
    return text("input { name: '", name, "' type { tensor_type { elem_type: ", type, " shape { ", shape, "} } } }\n");
}

std::string model(std::string_view parts, Names const& outputs, std::string_view functions = "") {
    std::string marked;
    for (auto const& output : outputs) marked += text("output { name: '", output, "' } ");
    return text("ir_version: 8 opset_import { domain: '' version: 17 }\n", functions, "graph { name: 'g' ", parts,
                marked, "}");
}

std::vector<std::string> errorsOf(std::string const& model) {
    Graph graph;
    std::vector<std::string> errors;
    for (auto const& error : parse(test::asBytes(model), graph).errors) errors.push_back(error.text);
    return errors;
}

std::string errorOf(std::string const& model) {
    auto const errors = errorsOf(model);
    return errors.empty() ? "" : errors.front();
}

Graph parsed(std::string const& model) {
    Graph graph;
    auto const result = parse(test::asBytes(model), graph);
    for (auto const& error : result.errors) ADD_FAILURE() << error.text;
    return graph;
}

/// By the reference and by an engine.
void expect(std::string const& model, std::vector<Literal> const& inputs, std::vector<Literal> const& expected) {
    Graph const graph = parsed(model);
    if (testing::Test::HasFailure()) return;
    for (auto const& found : {test::runGraph(graph, inputs), test::runEngine(graph, inputs)}) {
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(found[i].dims(), expected[i].dims()) << "output " << i;
            test::expectClose(found[i], expected[i], 1e-6, text("output ", i));
        }
    }
}

// ---- If

/// y = relu(x) where x has one row, else -x
std::string branches(int rows) {
    return model(input("x", {rows, 2}) + number("zero", 0) + number("one", 1) + node("Shape", {"x"}, {"dims"}) +
                     node("Gather", {"dims", "zero"}, {"rows"}) + node("Equal", {"rows", "one"}, {"single"}) +
                     node("If", {"single"}, {"y"},
                          body("then_branch", {}, node("Relu", {"x"}, {"a"}), {"a"}) +
                              body("else_branch", {}, node("Neg", {"x"}, {"a"}), {"a"})),
                 {"y"});
}

TEST(OnnxIf, isTheBranchThatShapesDecide) {
    expect(branches(1), {test::floats({1, 2}, {-1, 2})}, {test::floats({1, 2}, {0, 2})});
    expect(branches(2), {test::floats({2, 2}, {-1, 2, 3, 4})}, {test::floats({2, 2}, {1, -2, -3, -4})});
    Graph const graph = parsed(branches(1));
    EXPECT_NE(graph.tensorNamed("y"), nullptr);
    EXPECT_EQ(graph.tensorNamed("y")->producer()->name, "the_a");
    EXPECT_EQ(graph.tensorNamed("a"), nullptr);
}

TEST(OnnxIf, seesWhatIsAroundItsBranchesAndHasNamesOfItsOwn) {
    auto const inner =
        node("If", {"yes"}, {"c"},
             body("then_branch", {}, node("Add", {"w", "x"}, {"d"}), {"d"}) + body("else_branch", {}, "", {"w"}));
    auto const branch = number("w", 5, kFloat) + number("yes", 1, kBool) + inner + node("Add", {"c", "before"}, {"e"});
    expect(model(input("x", {}) + number("w", 100, kFloat) + number("no", 0, kBool) +
                     // stands before what it reads
                     node("If", {"no"}, {"y", "w2"},
                          body("then_branch", {}, "", {"w", "w"}) + body("else_branch", {}, branch, {"e", "w"})) +
                     node("Mul", {"x", "x"}, {"before"}) + node("Add", {"y", "w"}, {"z"}),
                 {"z", "w2"}),
           {test::floats({}, {3})}, {test::floats({}, {3 + 5 + 9 + 100}), test::floats({}, {5})});
}

TEST(OnnxIf, refusesBranchesThatDoNotFit) {
    auto const with = [](std::string const& branch) {
        return model(input("x", {}) + number("no", 0, kBool) +
                         node("If", {"no"}, {"y"}, body("then_branch", {}, node("Relu", {"x"}, {"a"}), {"a"}) + branch),
                     {"y"});
    };
    EXPECT_EQ(errorOf(with("")), "the_y (If, opset 17, node 0): attribute 'else_branch' is missing");
    EXPECT_EQ(errorOf(with(body("else_branch", {}, node("Relu", {"x"}, {"a"}), {"a", "x"}))),
              "the_y (If, opset 17, node 0): else_branch has 2 outputs; the node has 1");
    EXPECT_EQ(errorOf(with(body("else_branch", {"i"}, node("Relu", {"x"}, {"a"}), {"a"}))),
              "the_y (If, opset 17, node 0): else_branch has 1 inputs; a branch of an If has none");
    EXPECT_EQ(
        errorOf(with(body("else_branch", {}, node("Relu", {"x"}, {"a"}), {"b"}))),
        "the_y (If, opset 17, node 0): its else_branch: has an output 'b', which no node, initializer or input of "
        "the graph makes");
    EXPECT_EQ(errorsOf(with(body("else_branch", {}, node("Relu", {"xx"}, {"a"}) + node("Neg", {"a"}, {"b"}), {"b"}))),
              (std::vector<std::string>{
                  "the_a (Relu, opset 17, node 0, in else_branch of the_y): reads 'xx', which no node, initializer or "
                  "input of the graph makes",
                  "the_y (If, opset 17, node 0): its else_branch: cannot be read: see the errors of its nodes"}));
}

/// Exporters leave there what is wrong for the shapes that they saw.
TEST(OnnxIf, doesNotLookAtTheBranchThatNeverRuns) {
    auto const taken = body("else_branch", {}, node("Neg", {"x"}, {"a"}), {"a"});
    auto const never = [&](std::string const& branch) {
        return model(input("x", {2}) + number("no", 0, kBool) + node("If", {"no"}, {"y"}, branch + taken), {"y"});
    };
    auto const x = test::floats({2}, {1, -2});
    auto const y = test::floats({2}, {-1, 2});
    auto const squeezed = node("Squeeze", {"x", "zero"}, {"a"}); // of an axis of extent 2
    expect(never(body("then_branch", {}, list("zero", 0) + squeezed, {"a"})), {x}, {y});
    expect(never(body("then_branch", {}, node("Nonesuch", {"x"}, {"a"}), {"a"})), {x}, {y});
    expect(never(body("then_branch", {}, "", {"x", "x"})), {x}, {y});
    expect(never(""), {x}, {y});
}

/// y = n == 1 ? x with its first axis taken away and put back : x + x, of x [n, 2]
TEST(OnnxIf, isTheBranchThatAProfileDecides) {
    auto const first = node("Squeeze", {"x", "zeros"}, {"s"}) + node("Unsqueeze", {"s", "zeros"}, {"a"});
    auto const bytes = model(input("x", {-1, 2}) + number("zero", 0) + list("zeros", 0) + number("one", 1) +
                                 node("Shape", {"x"}, {"dims"}) + node("Gather", {"dims", "zero"}, {"rows"}) +
                                 node("Equal", {"rows", "one"}, {"single"}) +
                                 node("If", {"single"}, {"y"},
                                      body("then_branch", {}, first, {"a"}) +
                                          body("else_branch", {}, node("Add", {"x", "x"}, {"a"}), {"a"})),
                             {"y"});
    Graph const graph = parsed(bytes);
    EXPECT_EQ(graph.tensorNamed("y")->producer()->kind(), "If");
    for (int64_t const rows : {1, 3}) {
        BuildConfig config;
        config.profiles = {{{"x", {{rows, 2}, {rows, 2}, {rows, 2}, {}, {}, {}}}}};
        Plan const plan = build(graph, config);
        for (auto const& node : plan.graph.nodes()) EXPECT_NE(node->kind(), "If") << rows;
    }
    EXPECT_EQ(test::runEngine(graph, {test::floats({1, 2}, {1, 2})})[0].toFloat(), (std::vector<float>{1, 2}));
    EXPECT_EQ(test::runEngine(graph, {test::floats({3, 2}, {1, 2, 3, 4, 5, 6})})[0].toFloat(),
              (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(OnnxIf, isNotReachedWhereItReadsWhatFailed) {
    Graph graph;
    auto const bytes =
        model(input("x", {}) + number("no", 0, kBool) + node("Nonesuch", {"x"}, {"p"}) +
                  node("If", {"no"}, {"y"}, body("then_branch", {}, "", {"p"}) + body("else_branch", {}, "", {"p"})),
              {"y"});
    auto const result = parse(test::asBytes(bytes), graph);
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors[0].op, "Nonesuch");
    ASSERT_EQ(result.nodes.size(), 2U);
    EXPECT_EQ(result.nodes[1].state, ParsedNode::State::NotReached);
}

TEST(OnnxIf, mayStandInALocalFunction) {
    // F(a, flag) = flag ? Softmax(a, axis=the attribute `along`) + a : a, with t shadowed inside of the branch
    std::string const function = text(
        "functions { name: 'F' domain: 'mine' input: 'a' output: 'r' attribute: 'along' opset_import { version: 17 }\n",
        node("Relu", {"a"}, {"t"}),
        node("If", {"flag"}, {"r"},
             body("then_branch", {},
                  node("Softmax", {"a"}, {"t"}, "attribute { name: 'axis' ref_attr_name: 'along' type: INT }") +
                      node("Add", {"t", "a"}, {"u"}),
                  {"u"}) +
                 body("else_branch", {}, "", {"t"})),
        node("Constant", {}, {"flag"}, "attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } }"),
        "}\n");
    auto const call = "domain: 'mine' " + integer("along", 0);
    expect(model(input("x", {1, 2}) + node("F", {"x"}, {"y"}, call), {"y"},
                 "opset_import { domain: 'mine' version: 1 }\n" + function),
           {test::floats({1, 2}, {3, 5})}, {test::floats({1, 2}, {4, 6})});
}

TEST(OnnxIf, mayHoldCallsOfLocalFunctions) {
    std::string const function =
        text("opset_import { domain: 'mine' version: 1 }\nfunctions { name: 'F' domain: 'mine' input: 'a' output: 'r' "
             "opset_import { version: 17 }\n",
             node("Neg", {"a"}, {"t"}), node("Add", {"t", "t"}, {"r"}), "}\n");
    auto const branch = node("F", {"x"}, {"b"}, "domain: 'mine'");
    expect(model(input("x", {}) + number("yes", 1, kBool) +
                     node("If", {"yes"}, {"y"},
                          body("then_branch", {}, branch, {"b"}) + body("else_branch", {}, "", {"x"})),
                 {"y"}, function),
           {test::floats({}, {3})}, {test::floats({}, {-6})});
}

// ---- Loop

Names const kLoopInputs{"i", "go", "s"};

/// Sums x · i for `trips` trips, and gathers the sums.
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
    EXPECT_EQ(
        errorOf(with({"i", "go"}, on, {"on", "x"})),
        "the_y (Loop, opset 17, node 0): its body has 2 inputs; with 1 values that are carried from trip to trip it "
        "has 3");
    EXPECT_EQ(errorOf(with(kLoopInputs, on, {"on"})),
              "the_y (Loop, opset 17, node 0): its body has 1 outputs; the node has 1 values that are carried and 1 "
              "outputs, so expected at least 2");
    EXPECT_EQ(
        errorOf(with(kLoopInputs, on + node("Cast", {"s"}, {"t"}, integer("to", 6)), {"on", "t"})),
        "the_y (Loop, opset 17, node 0): value 0 that is carried is float32 and becomes int32; what a loop carries "
        "keeps its type (add a cast)");
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
                  .find("messages stand in one another more than 100 deep; graphs inside of "
                        "graphs are read down to 33"),
              std::string::npos);
}

// ---- what only the run knows

Literal flag(bool value) { return Literal::scalar(value); }
Literal count(int64_t value) { return Literal::scalar(value); }

/// y = c ? first : second, of x
std::string choice(std::string const& first, std::string const& second, std::vector<int> const& dims = {3}) {
    return model(
        input("c", {}, kBool) + input("x", dims) + list("from", 0) + list("to", 2) +
            node("If", {"c"}, {"y"}, body("then_branch", {}, first, {"a"}) + body("else_branch", {}, second, {"a"})),
        {"y"});
}

TEST(OnnxIf, isDecidedByTheRun) {
    auto const both = choice(node("Relu", {"x"}, {"a"}), node("Add", {"x", "x"}, {"b"}) + node("Neg", {"b"}, {"a"}));
    auto const x = test::floats({3}, {-1, 2, 3});
    expect(both, {flag(true), x}, {test::floats({3}, {0, 2, 3})});
    expect(both, {flag(false), x}, {test::floats({3}, {2, -4, -6})});
}

TEST(OnnxIf, mayHaveBranchesOfDifferentShapes) {
    auto const both = choice(node("Slice", {"x", "from", "to"}, {"a"}), node("Neg", {"x"}, {"a"}));
    auto const x = test::floats({3}, {-1, 2, 3});
    expect(both, {flag(true), x}, {test::floats({2}, {-1, 2})});
    expect(both, {flag(false), x}, {test::floats({3}, {1, -2, -3})});
    auto const open = choice(node("Slice", {"x", "from", "to"}, {"a"}), node("Neg", {"x"}, {"a"}), {-1});
    expect(open, {flag(true), test::floats({5}, {1, 2, 3, 4, 5})}, {test::floats({2}, {1, 2})});
    expect(open, {flag(false), test::floats({1}, {1})}, {test::floats({1}, {-1})});
    expect(open, {flag(true), test::floats({0}, {})}, {test::floats({0}, {})});
}

/// x.squeeze(1), as PyTorch's exporters write it; or with the branches the other way round.
std::string squeeze(std::string_view comparison, std::string_view thenOp, std::string_view elseOp) {
    auto const branch = [](std::string_view name, std::string_view op) {
        Names const inputs = op == "Squeeze" ? Names{"x", "axis"} : Names{"x"};
        return body(name, {}, node(op, inputs, {"a"}), {"a"});
    };
    return model(input("x", {2, -1}) + list("axis", 1) + node("Shape", {"x"}, {"dims"}) +
                     node("Gather", {"dims", "axis"}, {"extent"}) + node(comparison, {"extent", "axis"}, {"which"}) +
                     node("If", {"which"}, {"y"}, branch("then_branch", thenOp) + branch("else_branch", elseOp)),
                 {"y"});
}

TEST(OnnxIf, ofTheExtentOfASqueezeIsTheSqueeze) {
    auto const expectSqueeze = [](std::string const& squeezing, std::string_view name, std::string_view branch) {
        expect(squeezing, {test::floats({2, 1}, {5, 6})}, {test::floats({2}, {5, 6})});
        std::string error;
        try {
            test::runEngine(parsed(squeezing), {test::floats({2, 3}, {1, 2, 3, 4, 5, 6})});
        } catch (Error const& refused) {
            error = refused.what();
        }
        EXPECT_EQ(error,
                  text(name, " (Assertion): does not hold: its branches have different ranks, so that the engine has ",
                       branch, " alone, of the lower rank; these shapes ask for the other one"));
    };
    expectSqueeze(squeeze("Equal", "Squeeze", "Identity"), "the_y", "then_branch");
    expectSqueeze(squeeze("Greater", "Identity", "Squeeze"), "the_y_2", "else_branch");
}

TEST(OnnxIf, hasOneTypeAndOneRank) {
    auto const relu = node("Relu", {"x"}, {"a"});
    std::string const where = "the_y (If, opset 17, node 0): output 0 is float32 [3] of the first branch and ";
    std::string const advice = " of the second; a tensor has one type and one rank (add a cast, or a reshape)";
    EXPECT_EQ(errorOf(choice(relu, node("Cast", {"x"}, {"a"}, integer("to", 6)))), where + "int32 [3]" + advice);
    EXPECT_EQ(errorOf(choice(relu, node("ReduceSum", {"x"}, {"a"}, integer("keepdims", 0)))),
              where + "float32 []" + advice);
}

std::string const kOn = node("Identity", {"go"}, {"on"});

/// Runs `nodes` as often as the run says; carries x as s, and gathers what `outputs` ends with.
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
    EXPECT_EQ(
        errorOf(
            model(input("x", {}) + kHalf +
                      node("Loop", {"", "", "x"}, {"y", "all"}, body("body", kLoopInputs, kHalving, {"on", "n", "n"})),
                  {"y", "all"})),
        "the_y (Loop, opset 17, node 0): gathers a tensor a trip, and nothing says how many trips there are at most; "
        "give it a trip count");
}

TEST(OnnxLoop, decidesShapesWhereItIsComputedOnTheHost) { // also where only the run knows how many trips it makes
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
    // in a loop of as many trips as the outer one has begun, j < i decides a branch
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
              "the_y (Loop): is to make 2000000 trips; the most is 1000000");
    test::expectClose(engine.run({count(3), x})[0], test::floats({2}, {-1, -2}), 0, "afterwards");
}

TEST(OnnxLoop, refusesShapesThatNothingBounds) {
    auto const growing = node("Concat", {"s", "s"}, {"n"}, integer("axis", 0)) +
                         node("ReduceSum", {"n"}, {"sum"}, integer("keepdims", 0)) +
                         node("Less", {"sum", "most"}, {"on"});
    EXPECT_EQ(
        errorOf(model(input("x", {1}) + number("most", 9, kFloat) +
                          node("Loop", {"", "", "x"}, {"y"}, body("body", kLoopInputs, growing, {"on", "n"})),
                      {"y"})),
        "the_y (Loop, opset 17, node 0): value 0 that is carried has shape [1] before the first trip and another one "
        "after it; a loop that ends by a condition keeps shapes: give it a trip count and a condition that is always "
        "true, or a tensor of the largest shape that is filled by and by");
    EXPECT_EQ(
        errorOf(repeated(kOn + node("ReduceSum", {"s"}, {"n"}, integer("keepdims", 0)), {"on", "n"})),
        "the_y (Loop, opset 17, node 0): value 0 that is carried has shape [2] before a trip and [] after it; what a "
        "loop carries keeps its rank (add a reshape)");
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

/// What a plugin is in a graph: its values, twice.
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
    EXPECT_EQ(errorOf(with({3, 2}, {2, 2}, integer("num_scan_inputs", 2))),
              "the_y (Scan, opset 17, node 0): scans 3 elements of one input and 2 of b [2,2]; they must be as many");
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
