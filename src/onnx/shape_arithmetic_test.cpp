// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that compute the shape of a tensor of ones by unusual arithmetic.

#include "base/error.h"
#include "support/layer_case.h"
#include "support/onnx_model.h"
#include "support/run_engine.h"
#include "support/run_graph.h"

namespace tenon::onnx {
namespace {

using test::OnnxModel;

/// s = the shape of x [N], as a list; `times` nodes later the ones get that shape.
struct Ones {
    OnnxModel model{17};
    std::string last = "s";

    Ones() {
        model.input("x", {"N"});
        model.node("Shape", {"x"}, {"s"});
    }

    void integer(std::string const& name, int64_t value) { model.initializer(name, {1}, 7).add_int64_data(value); }
    void then(std::string const& op, std::string const& a, std::string const& b) {
        std::string const next = text("s", model.proto.graph().node_size());
        model.node(op, {a, b}, {next});
        last = next;
    }

    Graph graph() {
        model.node("ConstantOfShape", {last}, {"y"});
        model.output("y");
        Graph graph;
        auto const result = parse(test::asBytes(model.bytes()), graph);
        if (!result) fail(ErrorCode::InvalidModel, result.errors[0].text);
        return graph;
    }

    /// The shape of the ones that an engine computes for x of n elements.
    Dims dims(int64_t n) {
        return test::runEngine(graph(), {test::floats({n}, std::vector<float>(static_cast<size_t>(n)))})[0].dims();
    }
    std::string error(int64_t n) {
        return test::errorOf([&] { dims(n); });
    }
};

TEST(ShapeArithmetic, mayUseEachResultTwice) {
    Ones doubling;
    for (int i = 0; i < 90; ++i) doubling.then("Add", doubling.last, doubling.last);
    EXPECT_EQ(Ones(doubling).dims(0), (Dims{0}));
    EXPECT_EQ(Ones(doubling).dims(1), (Dims{0})); // 2^90 as an int64

    Ones same; // max(n, n - 1) is n
    same.integer("one", 1);
    for (int i = 0; i < 45; ++i) {
        std::string const before = same.last;
        same.then("Sub", before, "one");
        same.then("Max", before, same.last);
    }
    EXPECT_EQ(same.dims(3), (Dims{3}));
}

TEST(ShapeArithmetic, maySquareAndDivideByTurns) {
    Ones squaring;
    squaring.integer("seven", 7);
    for (int i = 0; i < 40; ++i) {
        squaring.then("Mul", squaring.last, squaring.last);
        squaring.then("Div", squaring.last, "seven");
    }
    EXPECT_EQ(squaring.dims(7), (Dims{7}));
}

TEST(ShapeArithmetic, mayBeAsDeepAsTheModelIsLong) {
    Ones deep;
    deep.integer("one", 1);
    for (int i = 0; i < 3'000; ++i) {
        deep.then("Max", deep.last, "one");
        deep.then("Sub", deep.last, "one");
    }
    EXPECT_EQ(deep.dims(5), (Dims{0}));
}

TEST(ShapeArithmetic, mayGoThroughAsManyNodesAsTheModelHas) {
    for (bool const fromConstants : {true, false}) {
        Ones casts;
        casts.integer("four", 4);
        if (fromConstants) casts.last = "four";
        for (int i = 0; i < 20'000; ++i) { // to float and back
            casts.then("Cast", casts.last, "");
            auto& node = *casts.model.proto.mutable_graph()->mutable_node()->rbegin();
            node.mutable_input()->RemoveLast();
            test::setInt(node, "to", i % 2 == 0 ? 1 : 7);
        }
        EXPECT_EQ(casts.dims(2), (Dims{fromConstants ? 4 : 2}));
    }
}

TEST(ShapeArithmetic, mayDivideTheLeastNumberByMinusOne) {
    Ones least;
    least.integer("least", INT64_MIN);
    least.integer("minusOne", -1);
    least.then("Sub", "s", "s");
    least.then("Add", least.last, "least");
    least.then("Div", least.last, "minusOne");
    EXPECT_NE(Ones(least).error(1), "");
}

TEST(Expand, makesMoreOfAnExtentThatIsOneAtRunTime) { // numpy: np.broadcast_to([7], [3])
    OnnxModel model;
    model.input("x", {"N"});
    model.input("s", {1}, 7);
    model.node("Expand", {"x", "s"}, {"y"});
    model.output("y");
    Graph graph;
    ASSERT_TRUE(parse(test::asBytes(model.bytes()), graph));
    EXPECT_EQ(test::runEngine(graph, {test::floats({1}, {7}), test::ints({1}, {3})})[0], test::floats({3}, {7, 7, 7}));
    EXPECT_EQ(test::runEngine(graph, {test::floats({2}, {7, 8}), test::ints({1}, {1})})[0], test::floats({2}, {7, 8}));
}

/// C's arithmetic, as in ONNX Runtime: -INT64_MIN wraps around.
TEST(IntegerDivision, wrapsAroundWhereTheLeastNumberIsDividedByMinusOne) {
    auto const x = test::ints({4}, {INT64_MIN, INT64_MIN, 7, INT64_MIN});
    auto const y = test::ints({4}, {-1, 1, -1, 3});
    for (auto const& [op, expected] : {std::pair("Div", std::vector<int64_t>{INT64_MIN, INT64_MIN, -7, INT64_MIN / 3}),
                                       std::pair("Mod", std::vector<int64_t>{0, 0, 0, 1})}) {
        OnnxModel model(17);
        model.input("x", {4}, 7);
        model.input("y", {4}, 7);
        model.node(op, {"x", "y"}, {"z"});
        model.output("z");
        Graph graph;
        ASSERT_TRUE(parse(test::asBytes(model.bytes()), graph));
        EXPECT_EQ(test::runGraph(graph, {x, y})[0].toInt64(), expected) << op;
        EXPECT_EQ(test::runEngine(graph, {x, y})[0].toInt64(), expected) << op;
    }
}

} // namespace
} // namespace tenon::onnx
