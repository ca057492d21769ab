// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models with data-dependent sizes: computed elements are extents, bounds and counts.

#include "base/error.h"
#include "plan/build.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon::onnx {
namespace {

using test::floats;
using test::ints;
using Floats = std::vector<float>;

constexpr int kInt64 = 7;
constexpr int kBool = 9;

/// A model of x [6] with n [], the number of its elements above 0, and n1 [1], the same as a list.
struct Counted {
    test::OnnxModel model{17};

    Counted() {
        model.input("x", {6});
        model.floats("zero", {}, {0});
        integers("first", {0});
        model.node("Greater", {"x", "zero"}, {"above"});
        test::setInt(model.node("Cast", {"above"}, {"ones"}), "to", kInt64);
        test::setInt(model.node("ReduceSum", {"ones"}, {"n"}), "keepdims", 0);
        model.node("Unsqueeze", {"n", "first"}, {"n1"});
    }

    void integers(std::string const& name, std::vector<int64_t> const& values) {
        auto& list = model.initializer(name, {std::ssize(values)}, kInt64);
        for (int64_t const value : values) list.add_int64_data(value);
    }
    void concat(std::string const& a, std::string const& b, std::string const& to) {
        test::setInt(model.node("Concat", {a, b}, {to}), "axis", 0);
    }
};

Graph parsed(test::OnnxModel const& model) {
    Graph graph;
    for (auto const& error : parse(test::asBytes(model.bytes()), graph).errors) ADD_FAILURE() << error.text;
    return graph;
}

/// Inputs with n = 3, 6, 0 and 1, and 3 again.
std::vector<Floats> const kInputs{
    {1, -2, 3, 0, 5, -6}, {1, 2, 3, 4, 5, 6}, {-1, -2, -3, 0, -5, -6}, {-1, 7, -1, -1, -1, -1}, {-4, 8, 0, 2, 1, -9}};

size_t countAbove(Floats const& x) {
    return static_cast<size_t>(std::ranges::count_if(x, [](float one) { return one > 0; }));
}

/// One engine for all inputs, saved and loaded; y must equal `expected`.
template <class Expected> void expectRuns(Counted& counted, Expected const& expected) {
    counted.model.output("y");
    test::EngineRun engine(parsed(counted.model), {});
    for (Floats const& x : kInputs) {
        Literal const wanted = expected(x, countAbove(x));
        auto const found = engine.run({floats({6}, x)});
        EXPECT_EQ(found[0].dims(), wanted.dims());
        test::expectClose(found[0], wanted, 0, "y");
    }
}

Literal row(Floats const& values) { return floats({std::ssize(values)}, values); }

TEST(ComputedSizes, endASlice) {
    Counted counted;
    counted.model.node("Slice", {"x", "first", "n1"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        return row({x.begin(), x.begin() + static_cast<int64_t>(n)});
    });
}

TEST(ComputedSizes, repeatATile) {
    Counted counted;
    counted.model.node("Tile", {"x", "n1"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all;
        for (size_t i = 0; i < n; ++i) all.insert(all.end(), x.begin(), x.end());
        return row(all);
    });
}

TEST(ComputedSizes, padBothEnds) {
    Counted counted;
    counted.concat("n1", "n1", "pads");
    counted.model.node("Pad", {"x", "pads"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all(n, 0);
        all.insert(all.end(), x.begin(), x.end());
        all.insert(all.end(), n, 0);
        return row(all);
    });
}

TEST(ComputedSizes, areTheKOfATopK) {
    Counted counted;
    counted.model.node("TopK", {"x", "n1"}, {"y", "places"});
    expectRuns(counted, [](Floats x, size_t n) {
        std::ranges::sort(x, std::greater());
        x.resize(n);
        return row(x);
    });
}

TEST(ComputedSizes, areExtentsOfExpandAndReshape) {
    Counted counted;
    counted.integers("six", {6});
    counted.concat("n1", "six", "shape");
    counted.model.node("Expand", {"x", "shape"}, {"rows"});
    counted.model.node("Mul", {"n1", "six"}, {"all"});
    counted.model.node("Reshape", {"rows", "all"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all;
        for (size_t i = 0; i < n; ++i) all.insert(all.end(), x.begin(), x.end());
        return row(all);
    });
}

TEST(ComputedSizes, areExtentsOfConstants) { // with an input that follows, so that nothing of it is known earlier
    Counted counted;
    counted.model.node("ConstantOfShape", {"n1"}, {"zeros"});
    test::setInt(counted.model.node("Cast", {"n"}, {"number"}), "to", 1);
    counted.model.node("Add", {"zeros", "number"}, {"y"});
    expectRuns(counted, [](Floats const&, size_t n) { return row(Floats(n, static_cast<float>(n))); });
}

TEST(ComputedSizes, areTheDepthOfOneHot) {
    Counted counted;
    counted.integers("ids", {0, 2});
    counted.model.floats("values", {2}, {0, 1});
    counted.model.node("OneHot", {"ids", "n", "values"}, {"y"});
    expectRuns(counted, [](Floats const&, size_t n) {
        Floats all(2 * n, 0);
        if (n > 0) all[0] = 1;
        if (n > 2) all[n + 2] = 1;
        return floats({2, static_cast<int64_t>(n)}, all);
    });
}

TEST(ComputedSizes, endARangeOfFloats) { // 0, 0.5, … below the largest element
    Counted counted;
    counted.model.floats("half", {}, {0.5F});
    test::setInt(counted.model.node("ReduceMax", {"x"}, {"most"}), "keepdims", 0);
    counted.model.node("Range", {"zero", "most", "half"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t) {
        Floats all;
        for (float at = 0; at < *std::ranges::max_element(x); at += 0.5F) all.push_back(at);
        return row(all);
    });
}

TEST(ComputedSizes, followOneAnother) { // the nonzero elements among the first n: two sizes, one after the other
    Counted counted;
    counted.model.node("Slice", {"x", "first", "n1"}, {"part"});
    counted.model.node("NonZero", {"part"}, {"found"});
    counted.model.node("Squeeze", {"found", "first"}, {"places"});
    counted.model.node("Gather", {"part", "places"}, {"picked"});
    counted.model.node("Shape", {"picked"}, {"extent"});
    counted.model.node("ConstantOfShape", {"extent"}, {"zeros"});
    counted.model.node("Sub", {"zeros", "picked"}, {"y"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all;
        for (size_t i = 0; i < n; ++i) {
            if (x[i] != 0) all.push_back(-x[i]);
        }
        return row(all);
    });
}

TEST(ComputedSizes, ofSeveralOutputsAreKnownTogether) {
    Counted counted;
    test::OnnxModel& model = counted.model;
    model.node("Slice", {"x", "first", "n1"}, {"part"});
    model.node("Tile", {"part", "n1"}, {"tiled"});
    model.node("NonZero", {"above"}, {"places"});
    model.node("Mul", {"x", "x"}, {"squares"});
    for (char const* name : {"part", "tiled", "places", "squares"}) model.output(name);
    test::EngineRun engine(parsed(model), {});
    EXPECT_EQ(engine.engine().segments().size(), 2U);
    for (Floats const& x : kInputs) {
        auto const n = static_cast<int64_t>(countAbove(x));
        auto const found = engine.run({floats({6}, x)});
        EXPECT_EQ(found[0], row({x.begin(), x.begin() + n}));
        EXPECT_EQ(found[1].dims(), Dims{n * n});
        EXPECT_EQ(found[2].dims(), (Dims{1, n}));
        for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(found[3].as<float>()[i], x[i] * x[i]);
    }
}

/// y = a[m] + b[k]
test::OnnxModel pickedSums() {
    test::OnnxModel model(17);
    model.input("m", {4}, kBool);
    model.input("k", {7}, kBool);
    model.input("a", {4});
    model.input("b", {7});
    for (std::string const one : {"m", "k"}) model.node("NonZero", {one}, {one + "_at"});
    model.node("Gather", {"a", "m_at"}, {"as"});
    model.node("Gather", {"b", "k_at"}, {"bs"});
    model.node("Add", {"as", "bs"}, {"y"}, "add");
    model.output("y");
    return model;
}

Literal bools(std::vector<uint8_t> const& values) {
    return Literal::copyOf(DataType::Bool, {std::ssize(values)}, values.data());
}

TEST(ComputedSizes, mayHaveToAgree) { // the upper bounds are 4 and 7, which do not
    test::EngineRun engine(parsed(pickedSums()), {});
    EXPECT_EQ(engine.engine().segments().size(), 2U); // both counts are read at once
    auto const a = floats({4}, {1, 2, 3, 4});
    auto const b = floats({7}, {10, 20, 30, 40, 50, 60, 70});
    EXPECT_EQ(engine.run({bools({1, 0, 0, 1}), bools({0, 0, 1, 0, 0, 1, 0}), a, b})[0], floats({1, 2}, {31, 64}));
    EXPECT_EQ(engine.run({bools({0, 0, 0, 0}), bools({0, 0, 0, 0, 0, 0, 0}), a, b})[0], floats({1, 0}, {}));
    EXPECT_EQ(test::errorOf([&] {
                  engine.run({bools({1, 1, 0, 1}), bools({0, 0, 1, 0, 0, 1, 0}), a, b});
              }),
              "add (Pointwise): shapes [1,3] and [1,2] do not broadcast: 3 against 2");
    EXPECT_EQ(engine.run({bools({1, 1, 0, 1}), bools({1, 1, 1, 0, 0, 0, 0}), a, b})[0], floats({1, 3}, {11, 22, 34}));
}

TEST(ComputedSizes, areFoundTwiceByAnAssignmentThroughAMask) { // x[x > 0] = x[x > 0] * 2
    Counted counted;
    test::OnnxModel& model = counted.model;
    model.floats("two", {}, {2});
    for (std::string const which : {"a", "b"}) {
        model.node("NonZero", {"above"}, {"found_" + which});
        model.node("Transpose", {"found_" + which}, {"at_" + which});
    }
    model.node("GatherND", {"x", "at_a"}, {"picked"});
    model.node("Mul", {"picked", "two"}, {"doubled"});
    model.node("ScatterND", {"x", "at_b", "doubled"}, {"y"});
    expectRuns(counted, [](Floats x, size_t) {
        for (float& one : x) one = one > 0 ? one * 2 : one;
        return row(x);
    });
}

/// A mask of the positions below each length: y [B,max(lengths)].
test::OnnxModel sequenceMask() {
    test::OnnxModel model(17);
    model.input("lengths", {"B"}, kInt64);
    model.initializer("zero", {}, kInt64).add_int64_data(0);
    model.initializer("one", {}, kInt64).add_int64_data(1);
    model.initializer("axis", {1}, kInt64).add_int64_data(1);
    test::setInt(model.node("ReduceMax", {"lengths"}, {"most"}), "keepdims", 0);
    model.node("Range", {"zero", "most", "one"}, {"places"});
    model.node("Unsqueeze", {"lengths", "axis"}, {"column"});
    model.node("Less", {"places", "column"}, {"y"});
    model.output("y");
    return model;
}

TEST(ComputedSizes, mayBeElementsOfAnInputThatNoProfileGives) {
    BuildConfig config;
    config.profiles.emplace_back()["lengths"] = {{1}, {2}, {4}, {}, {}, {}};
    test::EngineRun engine(parsed(sequenceMask()), config);
    EXPECT_FALSE(engine.engine().plan().graph.inputs()[0]->onHost);
    Literal const one = engine.run({ints({2}, {2, 3})})[0];
    EXPECT_EQ(one.dims(), (Dims{2, 3}));
    EXPECT_EQ(one.toInt64(), (std::vector<int64_t>{1, 1, 0, 1, 1, 1}));
    Literal const other = engine.run({ints({3}, {100, 0, 50})})[0];
    EXPECT_EQ(other.dims(), (Dims{3, 100}));
    EXPECT_EQ(std::ranges::count(other.toInt64(), 1), 150);
}

TEST(ComputedSizes, areRefusedWhereTheyAreNoSizes) {
    test::OnnxModel model(17);
    model.input("x", {2, 3});
    test::setInt(model.node("Cast", {"x"}, {"whole"}), "to", kInt64);
    test::setInt(model.node("ReduceMin", {"whole"}, {"least"}), "keepdims", 0);
    model.initializer("axis", {1}, kInt64).add_int64_data(0);
    model.node("Unsqueeze", {"least", "axis"}, {"n"});
    model.node("ConstantOfShape", {"n"}, {"zeros"}, "make");
    model.node("Exp", {"zeros"}, {"y"});
    model.output("y");
    test::EngineRun engine(parsed(model), {});
    EXPECT_EQ(engine.run({floats({2, 3}, {4, 2, 3, 5, 6, 7})})[0], floats({2}, {1, 1}));
    EXPECT_EQ(test::errorOf([&] {
                  engine.run({floats({2, 3}, {4, -2, 3, 5, 6, 7})});
              }),
              "make (Expand): shape [-2] has a negative extent");
    EXPECT_EQ(engine.run({floats({2, 3}, {4, 3, 3, 5, 6, 7})})[0], floats({3}, {1, 1, 1}));
}

/// An attribute with a graph of these inputs and outputs; the caller adds its nodes.
proto::GraphProto& body(proto::NodeProto& node, std::string const& name, std::vector<std::string> const& inputs,
                        std::vector<std::string> const& outputs) {
    auto& graph = *test::attribute(node, name, proto::AttributeProto::GRAPH).mutable_g();
    graph.set_name(name);
    for (auto const& input : inputs) graph.add_input()->set_name(input);
    for (auto const& output : outputs) graph.add_output()->set_name(output);
    return graph;
}

proto::NodeProto& add(proto::GraphProto& graph, std::string const& op, std::vector<std::string> const& inputs,
                      std::string const& output) {
    proto::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.set_name("in_" + output);
    for (auto const& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
}

TEST(ComputedSizes, mayBeOfALoopAroundIt) { // three times the sum of the first n elements
    Counted counted;
    counted.model.initializer("trips", {}, kInt64).add_int64_data(3);
    auto& loop = body(counted.model.node("Loop", {"trips", "", "zero"}, {"y"}, "loop"), "body", {"i", "go", "sum"},
                      {"on", "next"});
    add(loop, "Identity", {"go"}, "on");
    add(loop, "Slice", {"x", "first", "n1"}, "part");
    test::setInt(add(loop, "ReduceSum", {"part"}, "more"), "keepdims", 0);
    add(loop, "Add", {"sum", "more"}, "next");
    expectRuns(counted, [](Floats const& x, size_t n) {
        float sum = 0;
        for (size_t i = 0; i < n; ++i) sum += 3 * x[i];
        return floats({}, {sum});
    });
}

TEST(ComputedSizes, mayBeTheTripsOfALoopThatGathers) { // x times 0 to n - 1
    Counted counted;
    auto& loop = body(counted.model.node("Loop", {"n", "", "zero"}, {"last", "y"}, "loop"), "body", {"i", "go", "sum"},
                      {"on", "next", "row"});
    add(loop, "Identity", {"go"}, "on");
    test::setInt(add(loop, "Cast", {"i"}, "next"), "to", 1);
    add(loop, "Mul", {"x", "next"}, "row");
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all;
        for (size_t i = 0; i < n; ++i)
            for (float const one : x) all.push_back(one * static_cast<float>(i));
        return floats({static_cast<int64_t>(n), 6}, all);
    });
}

/// If n is more than 2 the branch's result, else x.
Counted branching(std::string const& op, std::vector<std::string> const& inputs) {
    Counted counted;
    counted.model.initializer("two", {}, kInt64).add_int64_data(2);
    counted.model.node("Greater", {"n", "two"}, {"many"});
    auto& node = counted.model.node("If", {"many"}, {"which"}, "branches");
    add(body(node, "then_branch", {}, {"a"}), op, inputs, "a");
    add(body(node, "else_branch", {}, {"b"}), "Identity", {"x"}, "b");
    counted.model.node("Neg", {"which"}, {"y"});
    return counted;
}

TEST(ComputedSizes, mayBeOfOneBranch) {
    Counted counted = branching("Slice", {"x", "first", "n1"});
    expectRuns(counted, [](Floats x, size_t n) {
        if (n > 2) x.resize(n);
        for (float& one : x) one = -one;
        return row(x);
    });
}

/// x n times if n is more than 2, else once.
Floats repeated(Floats const& x, size_t n) {
    Floats all;
    for (size_t i = 0; i < (n > 2 ? n : 1); ++i) all.insert(all.end(), x.begin(), x.end());
    return all;
}

TEST(ComputedSizes, ofOneBranchNeedNoBound) {
    Counted counted = branching("Tile", {"x", "n1"});
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats all = repeated(x, n);
        for (float& one : all) one = -one;
        return row(all);
    });
}

TEST(ComputedSizes, ofOneBranchNeedNoBoundWhereItIsAnOutput) {
    Counted counted = branching("Tile", {"x", "n1"});
    counted.model.output("which");
    counted.model.node("ReduceSum", {"y"}, {"sum"}); // of a constant shape; reads a tensor that has memory of its own
    counted.model.output("sum");
    test::EngineRun engine(parsed(counted.model), {});
    for (Floats const& x : kInputs) {
        auto const found = engine.run({floats({6}, x)});
        Floats const all = repeated(x, countAbove(x));
        EXPECT_EQ(found[0], row(all));
        EXPECT_EQ(found[1], floats({1}, {-std::accumulate(all.begin(), all.end(), 0.F)}));
    }
    Context context(engine.engine());
    EXPECT_EQ(
        test::errorOf([&] { context.largestShapeOf(engine.engine().plan().graph.outputs()[0]); }),
        "output which: its size depends on data and has no upper bound; set an output allocator (setOutputAllocator)");
}

TEST(ComputedSizes, ofABranchInABranchNeedNoBound) { // n > 2: n > 5 ? x n times : x; else x
    Counted counted;
    counted.model.initializer("two", {}, kInt64).add_int64_data(2);
    counted.model.initializer("five", {}, kInt64).add_int64_data(5);
    counted.model.node("Greater", {"n", "two"}, {"many"});
    counted.model.node("Greater", {"n", "five"}, {"all"});
    auto& node = counted.model.node("If", {"many"}, {"y"}, "outer");
    auto& then = body(node, "then_branch", {}, {"inner"});
    auto& inner = add(then, "If", {"all"}, "inner");
    add(body(inner, "then_branch", {}, {"a"}), "Tile", {"x", "n1"}, "a");
    add(body(inner, "else_branch", {}, {"b"}), "Identity", {"x"}, "b");
    add(body(node, "else_branch", {}, {"c"}), "Identity", {"x"}, "c");
    expectRuns(counted, [](Floats const& x, size_t n) { return row(repeated(x, n > 5 ? n : 1)); });
}

TEST(ComputedSizes, ofABranchInALoopNeedNoBound) { // twice the sum of x, n times where n is more than 2
    Counted counted;
    counted.model.initializer("trips", {}, kInt64).add_int64_data(2);
    counted.model.initializer("two", {}, kInt64).add_int64_data(2);
    counted.model.node("Greater", {"n", "two"}, {"many"});
    auto& loop = body(counted.model.node("Loop", {"trips", "", "zero"}, {"y"}, "loop"), "body", {"i", "go", "sum"},
                      {"on", "next"});
    add(loop, "Identity", {"go"}, "on");
    auto& node = add(loop, "If", {"many"}, "which");
    add(body(node, "then_branch", {}, {"a"}), "Tile", {"x", "n1"}, "a");
    add(body(node, "else_branch", {}, {"b"}), "Identity", {"x"}, "b");
    test::setInt(add(loop, "ReduceSum", {"which"}, "more"), "keepdims", 0);
    add(loop, "Add", {"sum", "more"}, "next");
    expectRuns(counted, [](Floats const& x, size_t n) {
        Floats const all = repeated(x, n);
        return floats({}, {2 * std::accumulate(all.begin(), all.end(), 0.F)});
    });
}

TEST(ComputedSizes, ofABranchMayDecideFurtherShapes) { // twice as many zeros as the branch has elements
    Counted counted = branching("Tile", {"x", "n1"});
    counted.model.node("Shape", {"which"}, {"extent"});
    counted.model.node("Expand", {"zero", "extent"}, {"zeros"});
    test::setInt(counted.model.node("Concat", {"zeros", "y"}, {"both"}), "axis", 0);
    counted.model.output("both");
    test::EngineRun engine(parsed(counted.model), {});
    for (Floats const& x : kInputs) {
        Floats all(repeated(x, countAbove(x)).size(), 0);
        for (float const one : repeated(x, countAbove(x))) all.push_back(-one);
        EXPECT_EQ(engine.run({floats({6}, x)})[0], row(all));
    }
}

TEST(ComputedSizes, ofABranchThatTheHostComputesNeedNoBound) {
    test::OnnxModel model(17);
    model.input("x", {"n"});
    auto const whole = [](proto::NodeProto& node) { test::setInt(node, "to", kInt64); };
    model.initializer("two", {1}, kInt64).add_int64_data(2);
    model.floats("half", {1}, {0.5F});
    model.floats("one", {}, {1});
    model.node("Shape", {"x"}, {"extent"});
    model.node("Greater", {"extent", "two"}, {"many"});
    auto& node = model.node("If", {"many"}, {"shape"}, "branches");
    auto& then = body(node, "then_branch", {}, {"a"});
    test::setInt(add(then, "Cast", {"extent"}, "real"), "to", 1);
    add(then, "Mul", {"real", "half"}, "part");
    whole(add(then, "Cast", {"part"}, "count"));
    add(then, "Tile", {"extent", "count"}, "a");
    add(body(node, "else_branch", {}, {"b"}), "Identity", {"extent"}, "b");
    model.node("ReduceSum", {"shape"}, {"sum"});
    model.node("Expand", {"one", "sum"}, {"y"});
    model.output("y");
    BuildConfig config;
    config.profiles.emplace_back()["x"] = {{1}, {4}, {5}, {}, {}, {}};
    test::EngineRun engine(parsed(model), config);
    for (int64_t n = 1; n <= 5; ++n) {
        Floats const x(static_cast<size_t>(n));
        EXPECT_EQ(engine.run({row(x)})[0].dims(), Dims{n > 2 ? n * (n / 2) : n});
    }
}

/// An operator of x, an image of [1,6,4,4] or a sequence of [8,2,6], and weights that fix extents of it.
struct Weighted {
    char const* op;
    std::vector<int64_t> x;
    std::vector<std::vector<int64_t>> weights;
    int64_t hidden = 0;
    int64_t groups = 0;
    int64_t copies = 1; // of x, along its axis 1
};

/// y = op(x, weights), with x of the given shape; `counts`: data, not a constant, decide all its extents.
test::OnnxModel modelOf(Weighted const& one, bool counts) {
    Counted counted;
    test::OnnxModel& model = counted.model;
    model.input("list", {96});
    counted.integers("shape", one.x);
    model.node("Greater", {"n", "hundred"}, {"many"});
    model.initializer("hundred", {}, kInt64).add_int64_data(100);
    counted.integers("other", {96});
    model.node("Where", {"many", "other", "shape"}, {"decided"});
    model.node("Reshape", {"list", counts ? "decided" : "shape"}, {"reshaped"});
    std::vector<std::string> const copies(static_cast<size_t>(one.copies), "reshaped");
    test::setInt(model.node("Concat", copies, {"copied"}), "axis", 1);
    std::vector<std::string> inputs{"copied"};
    for (auto const& dims : one.weights) {
        inputs.push_back(text("w", inputs.size()));
        model.floats(inputs.back(), dims, test::spread(Dims(dims), 0.1F, 0.9F).toFloat());
    }
    bool const hasState = one.hidden != 0;
    auto& node =
        model.node(one.op, inputs, hasState ? std::vector<std::string>{"y", "h"} : std::vector<std::string>{"y"});
    if (hasState) test::setInt(node, "hidden_size", one.hidden);
    if (one.groups != 0) test::setInt(node, "group", one.groups);
    model.output("y");
    return model;
}

TEST(ComputedSizes, mayBeFixedByWeights) {
    std::vector<int64_t> const image{1, 6, 4, 4};
    std::vector<int64_t> const sequence{8, 2, 6};
    for (Weighted const& one : std::initializer_list<Weighted>{
             {"Conv", image, {{5, 6, 3, 3}, {5}}},
             {"Conv", image, {{4, 3, 3, 3}}, 0, 2},
             {"Conv", image, {{4, 18, 3, 3}}, 0, 0, 3},
             {"Conv", image, {{4, 9, 3, 3}}, 0, 2, 3},
             {"ConvTranspose", image, {{6, 5, 3, 3}, {5}}},
             {"InstanceNormalization", image, {{6}, {6}}},
             {"BatchNormalization", image, {{6}, {6}, {6}, {6}}},
             {"LayerNormalization", sequence, {{6}, {6}}},
             {"PRelu", image, {{6, 1, 1}}},
             {"MatMul", sequence, {{6, 5}}},
             {"MatMul", {2, 6, 8}, {{3, 12, 1, 8, 5}}, 0, 0, 2},
             {"Gemm", {16, 6}, {{6, 5}, {5}}},
             {"Add", sequence, {{6}}},
             {"RNN", sequence, {{1, 4, 6}, {1, 4, 4}}, 4},
             {"LSTM", sequence, {{1, 16, 6}, {1, 16, 4}, {1, 32}}, 4},
             {"GRU", sequence, {{1, 12, 6}, {1, 12, 4}, {1, 24}}, 4},
         }) {
        SCOPED_TRACE(one.op);
        std::vector<Literal> const inputs{row(kInputs[0]), test::spread({96}, -1, 1)};
        auto const expected = test::EngineRun(parsed(modelOf(one, false)), {}).run(inputs);
        for (bool const isLimited : {false, true}) {
            BuildConfig config;
            if (isLimited) config.settings.workspaceLimit = 1 << 20; // for which kernels are prepared at the build
            auto const found = test::EngineRun(parsed(modelOf(one, true)), config).run(inputs);
            ASSERT_EQ(found[0].dims(), expected[0].dims());
            test::expectClose(found[0], expected[0], 1e-5, "y");
        }
    }
}

TEST(ComputedSizes, areRefusedWhereNoneFitTheWeights) { // a multiple of three is not four
    EXPECT_EQ(test::errorOf([] {
                  build(parsed(modelOf({"Gemm", {16, 6}, {{4, 5}}, 0, 0, 3}, true)), {});
              }),
              "Gemm_y (MatrixMultiply): extents of its inputs are known at run time only (planned as [32,96], [4,5]), "
              "and none were found that fit its weights; check these, or pass the shape as a constant");
}

} // namespace
} // namespace tenon::onnx
