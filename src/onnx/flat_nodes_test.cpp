// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/flat_nodes.h"

#include "support/layer_case.h"
#include "support/onnx_model.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

// of messages newer than the classes that write them here
constexpr int kNodeOverload = 8;
constexpr int kFunctionOverload = 13;
constexpr int kFunctionAttributeDefault = 11; // repeated AttributeProto

using test::errorOf;
using test::OnnxModel;

proto::FunctionProto& function(OnnxModel& model, std::string const& name, std::vector<std::string> const& inputs,
                               std::vector<std::string> const& outputs) {
    auto* function = model.proto.add_functions();
    function->set_domain("mine");
    function->set_name(name);
    for (auto const& input : inputs) function->add_input(input);
    for (auto const& output : outputs) function->add_output(output);
    auto* opset = function->add_opset_import();
    opset->set_domain("");
    opset->set_version(17);
    return *function;
}

proto::NodeProto& inside(proto::FunctionProto& function, std::string const& op, std::vector<std::string> const& inputs,
                         std::vector<std::string> const& outputs) {
    auto* node = function.add_node();
    node->set_op_type(op);
    for (auto const& input : inputs) node->add_input(input);
    for (auto const& output : outputs) node->add_output(output);
    return *node;
}

proto::NodeProto& call(OnnxModel& model, std::string const& op, std::vector<std::string> const& inputs,
                       std::vector<std::string> const& outputs, std::string const& name = {}) {
    auto& node = model.node(op, inputs, outputs, name);
    node.set_domain("mine");
    return node;
}

std::vector<FlatNode> flatten(OnnxModel const& model) {
    auto const isKnown = [](FlatNode const& node) { return node.proto->domain.empty(); };
    return flatNodes(test::asRead<pb::ModelProto>(model.proto), isKnown);
}

/// "name: Op(inputs) -> outputs", one line per node
std::string printed(std::vector<FlatNode> const& nodes) {
    std::string all;
    for (FlatNode const& node : nodes)
        all += text(node.proto->name, ": ", node.proto->opType, '(', joined(node.proto->input), ") -> ",
                    joined(node.proto->output), '\n');
    return all;
}

TEST(LocalFunction, standsInPlaceOfItsCall) {
    OnnxModel model;
    auto& f = function(model, "F", {"a", "b"}, {"c"});
    inside(f, "Mul", {"a", "b"}, {"t"});
    inside(f, "Relu", {"t"}, {"c"});
    call(model, "F", {"x", "w"}, {"y"}, "block");
    call(model, "F", {"y", "w"}, {"z"}, "block");
    auto const nodes = flatten(model);
    EXPECT_EQ(printed(nodes), "block/Mul: Mul(x, w) -> block/t\n"
                              "block/Relu: Relu(block/t) -> y\n"
                              "block_2/Mul: Mul(y, w) -> block_2/t\n"
                              "block_2/Relu: Relu(block_2/t) -> z\n");
    EXPECT_EQ(nodes[3].index, 1);
    EXPECT_EQ(nodes[3].functions, std::vector<std::string>{"F"});
    EXPECT_EQ(nodes[3].opsets->at(""), 17);
}

TEST(LocalFunction, mayCallOthers) {
    OnnxModel model;
    inside(function(model, "F", {"a"}, {"b"}), "G", {"a"}, {"b"}).set_domain("mine");
    inside(function(model, "G", {"p"}, {"q"}), "Relu", {"p"}, {"q"});
    call(model, "F", {"x"}, {"y"}, "f");
    auto const nodes = flatten(model);
    EXPECT_EQ(printed(nodes), "f/G/Relu: Relu(x) -> y\n");
    EXPECT_EQ(nodes[0].functions, (std::vector<std::string>{"F", "G"}));
}

TEST(LocalFunction, mayLeaveInputsAndOutputsOut) {
    OnnxModel model;
    auto& f = function(model, "F", {"a", "b"}, {"c", "d"});
    inside(f, "Clip", {"a", "b"}, {"c"});
    inside(f, "Relu", {"a"}, {"d"});
    call(model, "F", {"x"}, {"", "y"}, "f");
    EXPECT_EQ(printed(flatten(model)), "f/Clip: Clip(x, ) -> f/c\n"
                                       "f/Relu: Relu(x) -> y\n");
}

TEST(LocalFunction, mayPassAnInputOn) {
    OnnxModel model;
    auto& f = function(model, "F", {"a"}, {"a", "b", "b"});
    inside(f, "Relu", {"a"}, {"b"});
    call(model, "F", {"x"}, {"p", "q", "r"}, "f");
    EXPECT_EQ(printed(flatten(model)), "f/Relu: Relu(x) -> q\n"
                                       "f/p: Identity(x) -> p\n"
                                       "f/r: Identity(q) -> r\n");
}

TEST(LocalFunction, givesItsAttributesToTheNodesInside) {
    OnnxModel model;
    auto& f = function(model, "F", {"a"}, {"b"});
    auto& inner = inside(f, "Softmax", {"a"}, {"b"});
    for (char const* name : {"axis", "given", "missing"}) {
        auto& attribute = test::attribute(inner, name, proto::AttributeProto::INT);
        attribute.set_ref_attr_name(std::string("my_") + name);
    }
    proto::AttributeProto preset; // by default my_axis is 2
    preset.set_name("my_axis");
    preset.set_type(proto::AttributeProto::INT);
    preset.set_i(2);
    f.GetReflection()->MutableUnknownFields(&f)->AddLengthDelimited(kFunctionAttributeDefault,
                                                                    preset.SerializeAsString());
    test::setInt(call(model, "F", {"x"}, {"y"}), "my_given", 5);
    auto const nodes = flatten(model);
    ASSERT_EQ(nodes[0].proto->attribute.size(), 2U);
    EXPECT_EQ(nodes[0].proto->attribute[0].name, "axis");
    EXPECT_EQ(nodes[0].proto->attribute[0].i, 2);
    EXPECT_EQ(nodes[0].proto->attribute[1].name, "given");
    EXPECT_EQ(nodes[0].proto->attribute[1].i, 5);
}

TEST(LocalFunction, isToldFromOthersByItsOverload) {
    OnnxModel model;
    auto& one = function(model, "F", {"a"}, {"b"});
    inside(one, "Relu", {"a"}, {"b"});
    auto& other = function(model, "F", {"a"}, {"b"});
    inside(other, "Tanh", {"a"}, {"b"});
    other.GetReflection()->MutableUnknownFields(&other)->AddLengthDelimited(kFunctionOverload, "v2");
    auto& node = call(model, "F", {"x"}, {"y"}, "f");
    node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(kNodeOverload, "v2");
    EXPECT_EQ(printed(flatten(model)), "f/Tanh: Tanh(x) -> y\n");
}

TEST(LocalFunction, mustNotCallItself) {
    OnnxModel model;
    inside(function(model, "F", {"a"}, {"b"}), "F", {"a"}, {"b"}).set_domain("mine");
    call(model, "F", {"x"}, {"y"}, "f");
    auto const error = errorOf([&] { flatten(model); });
    EXPECT_TRUE(error.ends_with("local functions call each other without end: F > F")) << error;
}

TEST(LocalFunction, mustNotCallItselfThroughOthers) {
    OnnxModel model;
    inside(function(model, "Outer", {"a"}, {"b"}), "F", {"a"}, {"b"}).set_domain("mine");
    inside(function(model, "F", {"a"}, {"b"}), "G", {"a"}, {"b"}).set_domain("mine");
    inside(function(model, "G", {"a"}, {"b"}), "F", {"a"}, {"b"}).set_domain("mine");
    call(model, "Outer", {"x"}, {"y"}, "f");
    auto const error = errorOf([&] { flatten(model); });
    EXPECT_TRUE(error.ends_with("local functions call each other without end: F > G > F")) << error;
}

TEST(LocalFunction, mayNotMakeManyCallsThatAddNothing) {
    OnnxModel model;
    for (int i = 0; i < 30; ++i) {
        auto& f = function(model, text("F", i), {"a"}, {});
        for (int calls = 0; calls < 2 && i > 0; ++calls) inside(f, text("F", i - 1), {"a"}, {}).set_domain("mine");
    }
    call(model, "F29", {"x"}, {}, "f");
    auto const error = errorOf([&] { flatten(model); });
    EXPECT_TRUE(error.ends_with("local functions of the model make more than 200032 calls")) << error;
}

TEST(LocalFunction, mayStandOnlySoDeepInOthers) {
    OnnxModel model;
    for (int i = 0; i < 40; ++i)
        inside(function(model, text("F", i), {"a"}, {"b"}), text("F", i + 1), {"a"}, {"b"}).set_domain("mine");
    inside(function(model, "F40", {"a"}, {"b"}), "Relu", {"a"}, {"b"});
    call(model, "F0", {"x"}, {"y"}, "f");
    auto const error = errorOf([&] { flatten(model); });
    EXPECT_EQ(error.find("local functions call each other more than 32 deep, the limit: F0 > "
                         "F1 > F2"),
              0U)
        << error;
    EXPECT_TRUE(error.ends_with("F30 > F31; export the model with less nesting")) << error;
}

TEST(LocalFunction, mustKnowTheAttributesOfItsCall) {
    OnnxModel model;
    auto& f = function(model, "F", {"a"}, {"b"});
    inside(f, "Relu", {"a"}, {"b"});
    auto& node = call(model, "F", {"x"}, {"y"}, "f");
    test::setInt(node, "depth", 3);
    EXPECT_EQ(errorOf([&] { flatten(model); }), "f (F): attribute 'depth' = 3 is not declared by the function (it has "
                                                "none), so its effect would be lost; remove it if it has no effect");
    f.add_attribute("width");
    f.add_attribute("height");
    EXPECT_NE(errorOf([&] { flatten(model); }).find("by the function (width, height)"), std::string::npos);
    f.add_attribute("depth");
    EXPECT_EQ(flatten(model).size(), 1U);
}

TEST(LocalFunction, mustNotGrowWithoutBounds) {
    OnnxModel model;
    for (int i = 0; i < 30; ++i) {
        auto& f = function(model, text("F", i), {"a"}, {"b"});
        inside(f, text("F", i + 1), {"a"}, {"t"}).set_domain("mine");
        inside(f, text("F", i + 1), {"t"}, {"b"}).set_domain("mine");
    }
    call(model, "F0", {"x"}, {"y"}, "f");
    EXPECT_EQ(errorOf([&] { flatten(model); }), "the local functions of the model expand to more than 100000 nodes");
}

TEST(LocalFunction, mustTakeTheInputsOfItsCall) {
    OnnxModel model;
    function(model, "F", {"a"}, {"b"});
    call(model, "F", {"x", "z"}, {"y"}, "f");
    EXPECT_EQ(errorOf([&] { flatten(model); }),
              "f (F): is called with 2 inputs and 1 outputs; the function has 1 and 1");
}

} // namespace
} // namespace tenon::onnx
