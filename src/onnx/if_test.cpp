// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models with If, written in protobuf's text format.

#include "plan/build.h"
#include "support/onnx_text.h"

#include <cmath>

namespace tenon::onnx {
namespace {

/// y = relu(x) if x has one row, else -x
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
                     // precedes the nodes that it reads
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

/// Exporters leave branches there that are invalid for the shapes that they saw.
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

/// y = n == 1 ? x with its first axis removed and restored : x + x, for x [n, 2]
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

/// x.squeeze(1), as PyTorch's exporters write it; or with the branches swapped.
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

/// With the numbers of columns that an engine accepts.
Plan builtFor(Graph const& graph, int64_t least, int64_t most) {
    BuildConfig config;
    config.profiles = {{{"x", {{2, least}, {2, least}, {2, most}, {}, {}, {}}}}};
    return build(graph, config);
}

TEST(OnnxIf, ofTheExtentOfASqueezeIsTheBranchThatTheProfileDecides) {
    for (auto const& squeezing : {squeeze("Equal", "Squeeze", "Identity"), squeeze("Greater", "Identity", "Squeeze")}) {
        auto const wide = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
        EXPECT_EQ(test::runEngine(parsed(squeezing), {test::floats({2, 1}, {5, 6})})[0], test::floats({2}, {5, 6}));
        EXPECT_EQ(test::runEngine(parsed(squeezing), {wide})[0], wide);
        EXPECT_NO_THROW(builtFor(parsed(squeezing), 2, 8)) << "never one column";
    }
    EXPECT_EQ(test::errorOf([] { builtFor(parsed(squeeze("Equal", "Squeeze", "Identity")), 1, 8); }),
              "the_y (If): output 0 is float32 [2] of the first branch and float32 [2,N] of the second, and either may "
              "run; expected the same rank: reshape one, or build with profiles whose shapes determine the condition");
}

std::string const kSqueezed = body("then_branch", {}, node("Squeeze", {"x", "zeros"}, {"a"}), {"a"}) +
                              body("else_branch", {}, node("Identity", {"x"}, {"a"}), {"a"});
std::string const kIsOneRow = number("zero", 0) + list("zeros", 0) + number("one", 1) + list("all", -1) +
                              node("Shape", {"x"}, {"dims"}) + node("Gather", {"dims", "zero"}, {"rows"}) +
                              node("Equal", {"rows", "one"}, {"single"});

/// Of x [n, 2]: its exponentials over the sum along the first axis of x.squeeze(0), as a list.
std::string squeezedSoftmax() {
    return model(input("x", {-1, 2}) + kIsOneRow + node("If", {"single"}, {"q"}, kSqueezed) +
                     node("Neg", {"x"}, {"m"}) + node("Softmax", {"q"}, {"s"}, integer("axis", 0)) +
                     node("Reshape", {"s", "all"}, {"y"}) + node("Reshape", {"m", "all"}, {"z"}),
                 {"y", "z"});
}

TEST(OnnxIf, ofTwoRanksGoesOnAtEitherRank) {
    Graph const graph = parsed(squeezedSoftmax());
    EXPECT_NE(graph.tensorNamed("y"), nullptr);
    EXPECT_EQ(graph.tensorNamed("z")->producer()->kind(), "Shuffle") << "what does not depend on it is beside it";
    BuildConfig config;
    config.profiles = {{{"x", {{1, 2}, {2, 2}, {8, 2}, {}, {}, {}}}}};
    test::EngineRun engine(graph, config);
    auto const one = engine.run({test::floats({1, 2}, {0, std::log(3.F)})}); // along its two elements
    test::expectClose(one[0], test::floats({2}, {0.25, 0.75}), 1e-6, "y of one row");
    auto const two = engine.run({test::floats({2, 2}, {0, 0, std::log(3.F), 0})}); // along two rows
    test::expectClose(two[0], test::floats({4}, {0.25, 0.5, 0.75, 0.5}), 1e-6, "y of two rows");
    EXPECT_EQ(two[1], test::floats({4}, {-0.F, -0.F, -std::log(3.F), -0.F}));
}

TEST(OnnxIf, ofTwoRanksMayBeDecidedByTheRun) {
    auto const bytes = model(
        input("x", {-1, 2}) + input("c", {}, kBool) + list("all", -1) + list("zeros", 0) +
            node("If", {"c"}, {"q"},
                 body("then_branch", {}, node("ReduceSum", {"x", "zeros"}, {"a"}, integer("keepdims", 0)), {"a"}) +
                     body("else_branch", {}, node("Identity", {"x"}, {"a"}), {"a"})) +
            node("Neg", {"q"}, {"m"}) + node("Reshape", {"m", "all"}, {"y"}),
        {"y"});
    auto const x = test::floats({2, 2}, {1, 2, 3, 4});
    expect(bytes, {x, flag(true)}, {test::floats({2}, {-4, -6})});
    expect(bytes, {x, flag(false)}, {test::floats({4}, {-1, -2, -3, -4})});
}

/// The rest of the model accepts one rank only: a transposition of two axes.
TEST(OnnxIf, ofTwoRanksIsTheBranchThatTheRestTakes) {
    auto const bytes =
        model(input("x", {-1, 2}) + kIsOneRow + node("If", {"single"}, {"q"}, kSqueezed) +
                  node("Transpose", {"q"}, {"y"}, "attribute { name: 'perm' type: INTS ints: 1 ints: 0 }"),
              {"y"});
    expect(bytes, {test::floats({2, 2}, {1, 2, 3, 4})}, {test::floats({2, 2}, {1, 3, 2, 4})});
    EXPECT_EQ(test::errorOf([&] {
                  test::runEngine(parsed(bytes), {test::floats({1, 2}, {1, 2})});
              }),
              "the_q_2 (Assertion): does not hold: its branches have different ranks, and the layers after it support "
              "that of else_branch only; these shapes select then_branch");
}

TEST(OnnxIf, ofTwoRanksMayBeInABranch) {
    auto const inner = node("If", {"single"}, {"q"}, kSqueezed) + node("Reshape", {"q", "all"}, {"a"});
    auto const bytes = model(
        input("x", {-1, 2}) + input("c", {}, kBool) + kIsOneRow +
            node("If", {"c"}, {"y"},
                 body("then_branch", {}, node("Neg", {"x"}, {"n"}) + node("Reshape", {"n", "all"}, {"a"}), {"a"}) +
                     body("else_branch", {}, inner, {"a"})),
        {"y"});
    auto const x = test::floats({2, 2}, {1, 2, 3, 4});
    expect(bytes, {x, flag(false)}, {test::floats({4}, {1, 2, 3, 4})});
    expect(bytes, {x, flag(true)}, {test::floats({4}, {-1, -2, -3, -4})});
    expect(bytes, {test::floats({1, 2}, {1, 2}), flag(false)}, {test::floats({2}, {1, 2})});
}

/// Factors of a resize, computed outside of the branch from the shape of x [1, 1, h, w]: to [1, 1, 4, 4].
TEST(OnnxIf, knowsFloatsThatDecideShapesInABranch) {
    auto const bytes = model(input("x", {1, 1, 2, -1}) + input("c", {}, kBool) +
                                 "initializer { name: 'four' data_type: 1 dims: 4 float_data: [1,1,4,4] }\n" +
                                 node("Shape", {"x"}, {"dims"}) + node("Cast", {"dims"}, {"f"}, integer("to", 1)) +
                                 node("Div", {"four", "f"}, {"factors"}) +
                                 node("If", {"c"}, {"y"},
                                      body("then_branch", {}, node("Resize", {"x", "", "factors"}, {"a"}), {"a"}) +
                                          body("else_branch", {}, node("Neg", {"x"}, {"a"}), {"a"})),
                             {"y"});
    auto const x = test::floats({1, 1, 2, 2}, {1, 2, 3, 4});
    expect(bytes, {x, flag(true)}, {test::floats({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})});
    expect(bytes, {x, flag(false)}, {test::floats({1, 1, 2, 2}, {-1, -2, -3, -4})});
}

/// r = n == 4 ? a constant [4, 2] : x, and y = r + x
TEST(OnnxIf, hasTheExtentsOfTheBranchThatShapesDecide) {
    auto const bytes =
        model(input("x", {-1, 2}) + number("zero", 0) + number("four", 4) +
                  "initializer { name: 'k' data_type: 1 dims: 4 dims: 2 float_data: [1,2,3,4,5,6,7,8] }\n" +
                  node("Shape", {"x"}, {"dims"}) + node("Gather", {"dims", "zero"}, {"rows"}) +
                  node("Equal", {"rows", "four"}, {"fits"}) +
                  node("If", {"fits"}, {"r"},
                       body("then_branch", {}, node("Identity", {"k"}, {"a"}), {"a"}) +
                           body("else_branch", {}, node("Identity", {"x"}, {"a"}), {"a"})) +
                  node("Add", {"r", "x"}, {"y"}),
              {"y"});
    BuildConfig config;
    config.profiles = {{{"x", {{1, 2}, {4, 2}, {8, 2}, {}, {}, {}}}}};
    test::EngineRun engine(parsed(bytes), config);
    EXPECT_EQ(engine.run({test::floats({1, 2}, {1, 2})})[0], test::floats({1, 2}, {2, 4}));
    EXPECT_EQ(engine.run({test::floats({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1})})[0],
              test::floats({4, 2}, {2, 3, 4, 5, 6, 7, 8, 9}));
    Plan const plan = build(parsed(bytes), config);
    for (Assignment const& step : plan.nodes) {
        EXPECT_TRUE(step.node->layer->sizes(operandsOf(*step.node)).empty()) << "no run waits for an extent";
    }
}

TEST(OnnxIf, hasOneTypeAndOneRank) {
    auto const relu = node("Relu", {"x"}, {"a"});
    std::string const where = "the_y (If, opset 17, node 0): output 0 is float32 [3] of the first branch and ";
    EXPECT_EQ(errorOf(choice(relu, node("Cast", {"x"}, {"a"}, integer("to", 6)))),
              where + "int32 [3] of the second; expected the same type (add a cast)");
    EXPECT_EQ(errorOf(choice(relu, node("ReduceSum", {"x"}, {"a"}, integer("keepdims", 0)))),
              where + "float32 [] of the second, and either may run; expected the same rank: reshape one, or build "
                      "with profiles whose shapes determine the condition");
}

} // namespace
} // namespace tenon::onnx
