// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support.h"

#include "support/onnx_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace tenon::onnx {
namespace {

using test::OnnxModel;

Support supportOf(OnnxModel const& model) {
    std::string const bytes = model.bytes();
    return onnx::supportOf(test::asBytes(bytes), {});
}

using Group = std::pair<std::vector<int>, bool>;
std::vector<Group> groupsOf(OnnxModel const& model) {
    std::vector<Group> groups;
    for (NodeGroup const& group : supportOf(model).groups) groups.emplace_back(group.nodes, group.supported);
    return groups;
}

OnnxModel softmax() {
    OnnxModel model;
    model.input("x", {2, 3});
    model.node("Softmax", {"x"}, {"y"});
    model.output("y");
    return model;
}

TEST(OnnxSupport, isOfAWholeModelOneGroup) { EXPECT_EQ(groupsOf(softmax()), (std::vector<Group>{{{0}, true}})); }

TEST(OnnxSupport, isOfWhatIsNoModelAnError) {
    std::string const bytes = "no model";
    Support const support = onnx::supportOf(test::asBytes(bytes), {});
    EXPECT_EQ(support.errors.size(), 1U);
    EXPECT_TRUE(support.groups.empty());
}

TEST(OnnxSupport, cutsAModelAtNodesThatFail) {
    OnnxModel model = softmax();
    model.node("Foo", {"y"}, {"a"}, "one");
    model.node("Softmax", {"a"}, {"b"}, "behind"); // of a tensor whose type and shape are unknown
    model.node("Bar", {"b"}, {"c"}, "two");
    model.output("c");
    Support const support = supportOf(model);
    EXPECT_EQ(support.errors.size(), 2U);
    EXPECT_EQ(groupsOf(model), (std::vector<Group>{{{0}, true}, {{2}, false}}));
}

TEST(OnnxSupport, takesTypesFromTheModelWhereNodesDoNotTellThem) {
    OnnxModel model = softmax();
    model.node("Foo", {"y"}, {"a"});
    model.node("Softmax", {"a"}, {"b"});
    model.output("b");
    auto& value = *model.proto.mutable_graph()->add_value_info();
    value.set_name("a");
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    type.mutable_shape()->add_dim()->set_dim_value(7);
    EXPECT_EQ(groupsOf(model), (std::vector<Group>{{{0}, true}, {{2}, true}}));
}

// 0 → Foo 1 → 2, and 0 → 3; 0 and 3 can run before Foo
TEST(OnnxSupport, keepsTogetherWhatIsBesideANodeThatFails) {
    OnnxModel model = softmax();
    model.node("Foo", {"y"}, {"a"});
    model.node("Softmax", {"a"}, {"b"});
    model.node("Relu", {"y"}, {"c"});
    model.node("Add", {"b", "c"}, {"d"});
    model.output("d");
    EXPECT_EQ(groupsOf(model), (std::vector<Group>{{{0, 3}, true}, {{2, 4}, false}}));
}

TEST(OnnxSupport, putsConstantsWhereTheyAreKnown) {
    OnnxModel model = softmax();
    auto& axes =
        *test::attribute(model.node("Constant", {}, {"axes"}), "value", proto::AttributeProto::TENSOR).mutable_t();
    axes.set_data_type(proto::TensorProto::INT64);
    axes.add_dims(1);
    axes.add_int64_data(1);
    model.node("Foo", {"y"}, {"a"});
    model.node("ReduceSum", {"a", "axes"}, {"b"}); // which needs the values of its axes
    model.output("b");
    auto& value = *model.proto.mutable_graph()->add_value_info();
    value.set_name("a");
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    for (int const extent : {2, 3}) type.mutable_shape()->add_dim()->set_dim_value(extent);
    EXPECT_EQ(groupsOf(model), (std::vector<Group>{{{0}, true}, {{1, 3}, true}}));
}

TEST(OnnxSupport, leavesOutNodesThatHoldOneThatFails) {
    OnnxModel model = softmax();
    model.import("mine", 1);
    auto& function = *model.proto.add_functions();
    function.set_name("Both");
    function.set_domain("mine");
    auto& import = *function.add_opset_import();
    import.set_version(13);
    function.add_input("a");
    function.add_output("c");
    for (auto const& [op, from, to] : {std::tuple{"Relu", "a", "b"}, {"Foo", "b", "c"}}) {
        auto& node = *function.add_node();
        node.set_op_type(op);
        node.add_input(from);
        node.add_output(to);
    }
    model.node("Both", {"y"}, {"z"}).set_domain("mine");
    EXPECT_EQ(groupsOf(model), (std::vector<Group>{{{0}, true}}));
}

/// The part of the model with these nodes, written with ONNX's own classes.
OnnxModel partOf(OnnxModel const& model, std::vector<int> const& nodes) {
    OnnxModel part;
    std::set<std::string> made;
    for (int const index : nodes) {
        auto const& node = model.proto.graph().node(index);
        for (std::string const& input : node.input()) {
            if (made.insert(input).second) part.input(input, {2, 3});
        }
        *part.proto.mutable_graph()->add_node() = node;
        made.insert(node.output(0));
        part.output(node.output(0));
    }
    return part;
}

/// Whether a path leads from a node of the group out of it and back into it.
bool isConvex(OnnxModel const& model, std::vector<int> const& nodes) {
    std::set<int> const inside(nodes.begin(), nodes.end());
    std::set<std::string> behind; // tensors that depend on the group, by nodes outside
    for (int i = 0; i < model.proto.graph().node_size(); ++i) {
        auto const& node = model.proto.graph().node(i);
        bool readsInside = false;
        bool readsBehind = false;
        for (std::string const& input : node.input()) {
            readsBehind = readsBehind || behind.contains(input);
            for (int const other : nodes)
                readsInside = readsInside || model.proto.graph().node(other).output(0) == input;
        }
        if (inside.contains(i) && readsBehind) return false;
        if (!inside.contains(i) && (readsInside || readsBehind)) behind.insert(node.output(0));
    }
    return true;
}

TEST(OnnxSupport, makesPartsOfRandomModelsThatAreModels) {
    std::mt19937 random(1);
    auto const below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int round = 0; round < 200; ++round) {
        OnnxModel model;
        model.input("t0", {2, 3});
        int const count = 1 + below(20);
        std::set<int> failing;
        for (int i = 0; i < count; ++i) {
            bool const fails = below(4) == 0;
            if (fails) failing.insert(i);
            std::vector<std::string> inputs{"t" + std::to_string(below(i + 1)), "t" + std::to_string(below(i + 1))};
            model.node(fails ? "Foo" : "Add", inputs, {"t" + std::to_string(i + 1)});
            auto& value = *model.proto.mutable_graph()->add_value_info();
            value.set_name("t" + std::to_string(i + 1));
            auto& type = *value.mutable_type()->mutable_tensor_type();
            type.set_elem_type(1);
            for (int const extent : {2, 3}) type.mutable_shape()->add_dim()->set_dim_value(extent);
        }
        model.output("t" + std::to_string(count));
        Support const support = supportOf(model);
        EXPECT_EQ(support.errors.size(), failing.size());
        std::set<int> covered = failing;
        for (NodeGroup const& group : support.groups) {
            EXPECT_TRUE(group.supported);
            EXPECT_TRUE(isConvex(model, group.nodes));
            for (int const node : group.nodes) EXPECT_TRUE(covered.insert(node).second) << "node " << node;
            std::string const bytes = partOf(model, group.nodes).bytes();
            Graph graph;
            EXPECT_TRUE(parse(test::asBytes(bytes), graph, {}));
        }
        EXPECT_EQ(covered.size(), static_cast<size_t>(count));
    }
}

} // namespace
} // namespace tenon::onnx
