// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that onnx.checker refuses are refused, rule by rule, with a text that names the node.

#include "onnx/parse.h"
#include "support/onnx_model.h"

#include <gtest/gtest.h>

namespace tenon::onnx {
namespace {

using Model = proto::ModelProto;
using Attribute = proto::AttributeProto;

/// x [2,3] → Relu "first" → LeakyRelu "second" → Add "third" of it and w [3] → y
Model sound() {
    test::OnnxModel model(17);
    model.input("x", {2, 3});
    model.floats("w", {3}, {1, 2, 3});
    model.node("Relu", {"x"}, {"a"}, "first");
    test::attribute(model.node("LeakyRelu", {"a"}, {"b"}, "second"), "alpha", Attribute::FLOAT).set_f(0.5F);
    model.node("Add", {"b", "w"}, {"y"}, "third");
    model.output("y");
    *model.proto.mutable_graph()->mutable_output(0)->mutable_type() = model.proto.graph().input(0).type();
    return model.proto;
}

proto::NodeProto& node(Model& model, int i) { return *model.mutable_graph()->mutable_node(i); }
Attribute& alpha(Model& model) { return *node(model, 1).mutable_attribute(0); }
proto::TensorProto& weights(Model& model) { return *model.mutable_graph()->mutable_initializer(0); }

/// Replaces the first node by `call(F)`: F(p) = Relu(p).
proto::FunctionProto& function(Model& model) {
    model.add_opset_import()->set_domain("mine");
    model.mutable_opset_import(1)->set_version(1);
    node(model, 0).set_op_type("F");
    node(model, 0).set_domain("mine");
    auto& function = *model.add_functions();
    function.set_name("F");
    function.set_domain("mine");
    function.add_opset_import()->set_version(17);
    function.add_input("p");
    function.add_output("q");
    auto& inner = *function.add_node();
    inner.set_op_type("Relu");
    inner.set_name("inside");
    inner.add_input("p");
    inner.add_output("q");
    return function;
}

/// Makes the first node an If with two branches a = Neg(x); returns one of them.
proto::GraphProto& branch(Model& model) {
    auto& yes = *model.mutable_graph()->add_initializer();
    yes.set_name("yes");
    yes.set_data_type(proto::TensorProto::BOOL);
    yes.add_int32_data(1);
    node(model, 0).set_op_type("If");
    node(model, 0).set_input(0, "yes");
    for (auto const* name : {"else_branch", "then_branch"}) {
        auto& graph = *test::attribute(node(model, 0), name, Attribute::GRAPH).mutable_g();
        graph.set_name(name);
        auto& inner = *graph.add_node();
        inner.set_op_type("Neg");
        inner.set_name("inside");
        inner.add_input("x");
        inner.add_output("z");
        graph.add_output()->set_name("z");
    }
    return *node(model, 0).mutable_attribute(1)->mutable_g();
}

struct Rule {
    char const* name;
    void (*breakIt)(Model& model);
    char const* error; // the first one
};

std::string errorOf(Model const& model) {
    Graph graph;
    auto const errors = parse(test::asBytes(model.SerializeAsString()), graph).errors;
    return errors.empty() ? "" : errors.front().text;
}

void expectRefused(std::span<Rule const> rules) {
    for (Rule const& rule : rules) {
        SCOPED_TRACE(rule.name);
        Model model = sound();
        rule.breakIt(model);
        EXPECT_EQ(errorOf(model), rule.error);
    }
}

TEST(OnnxChecker, takesWhatIsSound) {
    EXPECT_EQ(errorOf(sound()), "");
    for (auto const change : {+[](Model& m) { function(m); }, +[](Model& m) { branch(m); }}) {
        Model model = sound();
        change(model);
        EXPECT_EQ(errorOf(model), "");
    }
}

constexpr Rule kOfModels[]{
    {"no ir_version", [](Model& m) { m.clear_ir_version(); },
     "the model: its ir_version is 0; expected a number from 1 on"},
    {"opset 0", [](Model& m) { m.mutable_opset_import(0)->set_version(0); },
     "the model: imports opset 0 of domain ''; expected a number from 1 on"},
    {"an opset of 64 bits", [](Model& m) { m.mutable_opset_import(0)->set_version((int64_t{1} << 32) + 17); },
     "the model: imports opset 4294967313 of domain ''; expected a number from 1 on"},
    {"two opsets", [](Model& m) { m.add_opset_import()->set_version(13); },
     "the model: imports domain '' twice, as of opset 17 and 13; expected one"},
    {"no opset", [](Model& m) { m.clear_opset_import(); },
     "first (Relu, node 0): the model has no opset_import for its nodes"},
    {"no graph", [](Model& m) { m.clear_graph(); }, "the model: has no graph: not an ONNX model, or damaged"},
};

TEST(OnnxChecker, refusesModels) { expectRefused(kOfModels); }

constexpr Rule kOfGraphs[]{
    {"an input without a name", [](Model& m) { m.mutable_graph()->add_input()->set_name(""); },
     "the model: an input has no name"},
    {"an input without a type", [](Model& m) { m.mutable_graph()->mutable_input(0)->clear_type(); },
     "the model: input 'x': is of an unknown kind; inputs must be tensors"},
    {"an input without an element type",
     [](Model& m) { m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_elem_type(); },
     "the model: input 'x': type 0 (undefined) is not supported; expected float, float16, bfloat16, an integer type or "
     "bool"},
    {"an input without a shape",
     [](Model& m) { m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape(); },
     "the model: input 'x': has no shape; add one, with names for dynamic extents"},
    {"two inputs of one name", [](Model& m) { *m.mutable_graph()->add_input() = m.graph().input(0); },
     "the model: two inputs are named 'x'"},
    {"an output without a name", [](Model& m) { m.mutable_graph()->mutable_output(0)->clear_name(); },
     "the model: an output of the graph has no name"},
    {"an output that no node makes", [](Model& m) { m.mutable_graph()->mutable_output(0)->set_name("z"); },
     "the model: the graph has an output 'z', which no node, initializer or input of the graph makes"},
    {"an output that is duplicated", [](Model& m) { *m.mutable_graph()->add_output() = m.graph().output(0); },
     "the model: two outputs are named 'y'"},
    {"a tensor that is produced twice", [](Model& m) { node(m, 2).set_output(0, "a"); },
     "the model: tensor 'a' is produced twice: by first (Relu) and by third (Add)"},
    {"a node that makes an input", [](Model& m) { node(m, 2).set_output(0, "x"); },
     "third (Add, opset 17, node 2): makes 'x', which is also an input or initializer of the graph"},
    {"a node that makes an initializer", [](Model& m) { node(m, 2).set_output(0, "w"); },
     "third (Add, opset 17, node 2): makes 'w', which is also an input or initializer of the graph"},
    {"a node that makes one tensor twice", [](Model& m) { node(m, 2).add_output("y"); },
     "the model: tensor 'y' is produced twice: by third (Add) and by third (Add)"},
    {"a cycle", [](Model& m) { node(m, 0).set_input(0, "b"); },
     "the model: the graph has a cycle through: first (Relu), second (LeakyRelu)"},
    {"a tensor that no node makes", [](Model& m) { node(m, 2).set_input(0, "c"); },
     "third (Add, opset 17, node 2): reads 'c', which no node, initializer or input of the graph makes"},
    {"a sparse initializer", [](Model& m) { m.mutable_graph()->add_sparse_initializer()->mutable_values(); },
     "the model: initializer '' is sparse; save it as a dense one"},
};

TEST(OnnxChecker, refusesGraphs) { expectRefused(kOfGraphs); }

constexpr Rule kOfTensors[]{
    {"no name", [](Model& m) { weights(m).clear_name(); }, "the model: an initializer has no name"},
    {"two of one name", [](Model& m) { *m.mutable_graph()->add_initializer() = weights(m); },
     "the model: two initializers are named 'w'"},
    {"no type", [](Model& m) { weights(m).clear_data_type(); },
     "third (Add, opset 17, node 2): initializer 'w': is undefined; expected numbers or bools"},
    {"a type that is unknown", [](Model& m) { weights(m).set_data_type(77); },
     "third (Add, opset 17, node 2): initializer 'w': is unknown to this reader; expected numbers or bools"},
    {"strings", [](Model& m) { weights(m).set_data_type(proto::TensorProto::STRING); },
     "third (Add, opset 17, node 2): initializer 'w': is string; expected numbers or bools"},
    {"raw data and typed data", [](Model& m) { weights(m).set_raw_data(std::string(12, '\0')); },
     "third (Add, opset 17, node 2): initializer 'w': has data in raw_data and in float_data; expected one of them"},
    {"typed data of two types", [](Model& m) { weights(m).add_int32_data(1); },
     "third (Add, opset 17, node 2): initializer 'w': has data in float_data and in int32_data; expected one of them"},
    {"too little data", [](Model& m) { weights(m).add_dims(2); },
     "third (Add, opset 17, node 2): initializer 'w': needs 6 entries of float32, has 3"},
    {"too little raw data",
     [](Model& m) {
         weights(m).clear_float_data();
         weights(m).set_raw_data("1234567");
     },
     "third (Add, opset 17, node 2): initializer 'w': float32 [3] needs 12 bytes, and 7 are there"},
    {"data of another type", [](Model& m) { weights(m).set_data_type(proto::TensorProto::INT64); },
     "third (Add, opset 17, node 2): initializer 'w': needs 3 entries of int64, has 0"},
    {"data where there are no elements", [](Model& m) { weights(m).set_dims(0, 0); },
     "third (Add, opset 17, node 2): initializer 'w': needs 0 entries of float32, has 3"},
    {"no data", [](Model& m) { weights(m).clear_float_data(); },
     "third (Add, opset 17, node 2): initializer 'w': needs 3 entries of float32, has 0"},
    {"a negative extent", [](Model& m) { weights(m).set_dims(0, -3); },
     "third (Add, opset 17, node 2): initializer 'w': has shape [-3]; expected extents of 0 or more"},
    {"an absurd extent", [](Model& m) { weights(m).set_dims(0, INT64_MAX); },
     "third (Add, opset 17, node 2): initializer 'w': float32 [9223372036854775807] does not fit in memory"},
    {"extents whose product has more than 64 bits",
     [](Model& m) {
         for (int i = 0; i < 5; ++i) weights(m).add_dims(1 << 30);
     },
     "third (Add, opset 17, node 2): initializer 'w': a tensor of shape "
     "[3,1073741824,1073741824,1073741824,1073741824,1073741824] has more elements than 64 bits can count"},
    {"segments", [](Model& m) { weights(m).mutable_segment()->set_begin(0); },
     "third (Add, opset 17, node 2): initializer 'w': is split into segments; save it in one piece"},
    {"external data and data", [](Model& m) { weights(m).set_data_location(proto::TensorProto::EXTERNAL); },
     "third (Add, opset 17, node 2): initializer 'w': its data is external, and it has data in float_data too"},
    {"external data without a location",
     [](Model& m) {
         weights(m).clear_float_data();
         weights(m).set_data_location(proto::TensorProto::EXTERNAL);
     },
     "third (Add, opset 17, node 2): initializer 'w': its data is external, but no location is given"},
};

TEST(OnnxChecker, refusesTensors) { expectRefused(kOfTensors); }

constexpr Rule kOfNodes[]{
    {"no operator", [](Model& m) { node(m, 0).clear_op_type(); }, "first (, opset 17, node 0): has no operator type"},
    {"an operator that is unknown", [](Model& m) { node(m, 0).set_op_type("Reluu"); },
     "first (Reluu, opset 17, node 0): there is no importer, and no plugin \"Reluu\", version 1, namespace \"\". Did "
     "you mean Relu? Plugins are not looked up here."},
    {"a domain that is unknown", [](Model& m) { node(m, 0).set_domain("com.acme"); },
     "first (Relu, domain com.acme, node 0): there is no importer, and no plugin \"Relu\", version 1, namespace \"\". "
     "There is an importer for this op in another domain. Plugins are not looked up here."},
    {"a domain without opset",
     [](Model& m) {
         node(m, 0).set_op_type("FlexAttention");
         node(m, 0).set_domain("ai.onnx.preview");
     },
     "first (FlexAttention, domain ai.onnx.preview, node 0): there is no opset_import of domain 'ai.onnx.preview'"},
    {"neither inputs nor outputs",
     [](Model& m) {
         node(m, 0).clear_input();
         node(m, 0).clear_output();
     },
     "first (Relu, opset 17, node 0): has no outputs"},
    {"no inputs", [](Model& m) { node(m, 0).clear_input(); }, "first (Relu, opset 17, node 0): input 0 is missing"},
    {"an input left out", [](Model& m) { node(m, 2).set_input(0, ""); },
     "third (Add, opset 17, node 2): input 0 is missing"},
    {"too many inputs", [](Model& m) { node(m, 0).add_input("w"); },
     "first (Relu, opset 17, node 0): input 1 ('w') is not an input of Relu of opset 17"},
    {"no outputs", [](Model& m) { node(m, 2).set_output(0, ""); }, "third (Add, opset 17, node 2): has no outputs"},
    {"too many outputs", [](Model& m) { node(m, 0).add_output("more"); },
     "first (Relu, opset 17, node 0): output 1 ('more') is not supported"},
};

TEST(OnnxChecker, refusesNodes) { expectRefused(kOfNodes); }

constexpr Rule kOfAttributes[]{
    {"no name", [](Model& m) { alpha(m).clear_name(); },
     "second (LeakyRelu, opset 17, node 1): has an attribute without a name"},
    {"one that the operator has not", [](Model& m) { alpha(m).set_name("beta"); },
     "second (LeakyRelu, opset 17, node 1): attribute 'beta' = 0.5 is not an attribute of LeakyRelu of opset 17, so "
     "its effect would be lost; export the model without it, or remove it if it has no effect"},
    {"two of one name", [](Model& m) { *node(m, 1).add_attribute() = alpha(m); },
     "second (LeakyRelu, opset 17, node 1): attribute 'alpha' is duplicated"},
    {"another type",
     [](Model& m) {
         alpha(m).clear_f();
         alpha(m).set_type(Attribute::INT);
         alpha(m).set_i(1);
     },
     "second (LeakyRelu, opset 17, node 1): attribute 'alpha' is of type INT; expected FLOAT"},
    {"a value of another type",
     [](Model& m) {
         alpha(m).clear_f();
         alpha(m).set_i(1);
     },
     "second (LeakyRelu, opset 17, node 1): attribute 'alpha ' is declared as type FLOAT, but its value is of type "
     "INT"},
    {"two values", [](Model& m) { alpha(m).add_floats(1); },
     "second (LeakyRelu, opset 17, node 1): attribute 'alpha' has values of several types: FLOAT and FLOATS; expected "
     "one value"},
    {"one of a function, where there is none",
     [](Model& m) {
         alpha(m).clear_f();
         alpha(m).set_ref_attr_name("slope");
     },
     "second (LeakyRelu, opset 17, node 1): attribute 'alpha' refers to the attribute 'slope' of a function, but the "
     "node is not in one"},
    {"a missing one",
     [](Model& m) {
         node(m, 1).set_op_type("Cast");
         node(m, 1).clear_attribute();
     },
     "second (Cast, opset 17, node 1): attribute 'to' is missing"},
    {"a sparse tensor",
     [](Model& m) {
         node(m, 1).set_op_type("Constant");
         node(m, 1).clear_input();
         alpha(m).set_name("sparse_value");
         alpha(m).clear_f();
         alpha(m).set_type(Attribute::SPARSE_TENSOR);
         alpha(m).mutable_sparse_tensor();
     },
     "second (Constant, opset 17, node 1): the constant is a sparse_value; dense tensors of numbers and bools are "
     "supported"},
    {"a tensor that is broken",
     [](Model& m) {
         node(m, 1).set_op_type("Constant");
         node(m, 1).clear_input();
         alpha(m).set_name("value");
         alpha(m).clear_f();
         alpha(m).set_type(Attribute::TENSOR);
         *alpha(m).mutable_t() = weights(m);
         alpha(m).mutable_t()->add_float_data(4);
     },
     "second (Constant, opset 17, node 1): attribute 'value': needs 3 entries of float32, has 4"},
};

TEST(OnnxChecker, refusesAttributes) { expectRefused(kOfAttributes); }

constexpr Rule kOfBodies[]{
    {"no graph", [](Model& m) { branch(m).Clear(), node(m, 0).mutable_attribute(1)->clear_g(); },
     "first (If, opset 17, node 0): attribute 'then_branch' is missing"},
    {"no attribute of that name",
     [](Model& m) {
         branch(m);
         node(m, 0).mutable_attribute(1)->set_name("than_branch");
     },
     "first (If, opset 17, node 0): attribute 'then_branch' is missing"},
    {"captures a tensor that no node makes", [](Model& m) { branch(m).mutable_node(0)->set_input(0, "c"); },
     "inside (Neg, opset 17, node 0, in then_branch of first): reads 'c', which no node, initializer or input of the "
     "graph makes"},
    {"captures a tensor made after it", [](Model& m) { branch(m).mutable_node(0)->set_input(0, "b"); },
     "the model: the graph has a cycle through: first (If), second (LeakyRelu)"},
    {"captures what another branch makes",
     [](Model& m) {
         branch(m);
         auto& other = *node(m, 0).mutable_attribute(0)->mutable_g();
         other.mutable_node(0)->set_output(0, "hidden");
         other.mutable_output(0)->set_name("hidden");
         node(m, 2).set_input(0, "hidden");
     },
     "third (Add, opset 17, node 2): reads 'hidden', which no node, initializer or input of the graph makes"},
    {"a cycle",
     [](Model& m) {
         auto& graph = branch(m);
         *graph.add_node() = graph.node(0);
         graph.mutable_node(0)->set_input(0, "back");
         graph.mutable_node(1)->set_input(0, "z");
         graph.mutable_node(1)->set_output(0, "back");
     },
     "first (If, opset 17, node 0): its then_branch: the graph has a cycle through: inside (Neg), inside (Neg)"},
    {"a tensor that is produced twice",
     [](Model& m) {
         auto& graph = branch(m);
         *graph.add_node() = graph.node(0);
     },
     "first (If, opset 17, node 0): its then_branch: tensor 'z' is produced twice: by inside (Neg) and by inside "
     "(Neg)"},
    {"an output that no node makes", [](Model& m) { branch(m).mutable_output(0)->set_name("nothing"); },
     "first (If, opset 17, node 0): its then_branch: has an output 'nothing', which no node, initializer or input of "
     "the graph makes"},
    {"an operator that is unknown", [](Model& m) { branch(m).mutable_node(0)->set_op_type("Neg2"); },
     "inside (Neg2, opset 17, node 0, in then_branch of first): there is no importer, and no plugin \"Neg2\", version "
     "1, namespace \"\". Did you mean Neg? Plugins are not looked up here."},
    {"an attribute that is broken", [](Model& m) { test::setInt(*branch(m).mutable_node(0), "axis", 1); },
     "inside (Neg, opset 17, node 0, in then_branch of first): attribute 'axis' = 1 is not an attribute of Neg of "
     "opset 17, so its effect would be lost; export the model without it, or remove it if it has no effect"},
    {"an initializer without data",
     [](Model& m) {
         auto& graph = branch(m);
         *graph.add_initializer() = weights(m);
         graph.mutable_initializer(0)->set_name("v");
         graph.mutable_initializer(0)->clear_float_data();
         graph.mutable_node(0)->set_input(0, "v");
     },
     "inside (Neg, opset 17, node 0, in then_branch of first): initializer 'v': needs 3 entries of float32, has 0"},
    {"an initializer without a name", [](Model& m) { branch(m).add_initializer(); },
     "first (If, opset 17, node 0): its then_branch: an initializer has no name"},
};

TEST(OnnxChecker, refusesGraphsInside) { expectRefused(kOfBodies); }

constexpr Rule kOfFunctions[]{
    {"no name", [](Model& m) { function(m).clear_name(); },
     "first (F, domain mine, opset 1, node 0): there is no importer, and no plugin \"F\", version 1, namespace \"\". "
     "Plugins are not looked up here."},
    {"two of one name", [](Model& m) { *m.add_functions() = function(m); },
     "the model: two local functions are named 'F' in domain 'mine'; expected distinct overloads"},
    {"two inputs of one name", [](Model& m) { function(m).add_input("p"); },
     "the model: first (F): the function has two inputs named 'p'"},
    {"fewer inputs than the call", [](Model& m) { function(m).clear_input(); },
     "the model: first (F): is called with 1 inputs and 1 outputs; the function has 0 and 1"},
    {"no opset", [](Model& m) { function(m).clear_opset_import(); },
     "first/inside (Relu, node 0, in function F): the function has no opset_import for its nodes"},
    {"two opsets", [](Model& m) { function(m).add_opset_import()->set_version(13); },
     "the model: first (F): imports domain '' twice, as of opset 17 and 13; expected one"},
    {"a tensor that no node makes", [](Model& m) { function(m).mutable_node(0)->set_input(0, "x"); },
     "first/inside (Relu, opset 17, node 0, in function F): reads 'first/x', which no node, initializer or input of "
     "the graph makes"},
    {"an output that no node makes", [](Model& m) { function(m).mutable_node(0)->set_output(0, "t"); },
     "the model: first (F): the function has an output 'q', which none of its nodes or inputs makes"},
    {"a tensor that is produced twice",
     [](Model& m) {
         auto& f = function(m);
         *f.add_node() = f.node(0);
     },
     "the model: tensor 'a' is produced twice: by first/inside (Relu) and by first/inside (Relu)"},
    {"a node that makes an input", [](Model& m) { function(m).mutable_node(0)->set_output(0, "p"); },
     "the model: first (F): the function has an output 'q', which none of its nodes or inputs makes"},
    {"one that calls itself",
     [](Model& m) {
         auto& f = function(m);
         *f.add_opset_import() = m.opset_import(1);
         f.mutable_node(0)->set_op_type("F");
         f.mutable_node(0)->set_domain("mine");
     },
     "the model: local functions call each other without end: F > F"},
    {"a value beside the function's",
     [](Model& m) {
         auto& f = function(m);
         f.add_attribute("axis");
         auto& inner = *f.mutable_node(0);
         inner.set_op_type("Softmax");
         test::setInt(inner, "axis", 1);
         inner.mutable_attribute(0)->set_ref_attr_name("axis");
     },
     "the model: first (F): first/inside (Softmax): attribute 'axis' refers to the attribute 'axis' of a function and "
     "also has a value; expected one of them"},
};

TEST(OnnxChecker, refusesFunctions) { expectRefused(kOfFunctions); }

/// Errors of onnx.checker that affect no computed value.
constexpr Rule kTaken[]{
    {"a graph without a name", [](Model& m) { m.mutable_graph()->clear_name(); }, ""},
    {"nodes in another order", [](Model& m) { m.mutable_graph()->mutable_node()->SwapElements(0, 2); }, ""},
    {"an initializer that is not an input, before IR version 4", [](Model& m) { m.set_ir_version(3); }, ""},
    {"an initializer that is unused", [](Model& m) { m.mutable_graph()->add_initializer()->set_name("v"); }, ""},
    {"a name that hides one further out",
     [](Model& m) {
         auto& graph = branch(m);
         graph.mutable_node(0)->set_output(0, "w");
         graph.mutable_output(0)->set_name("w");
     },
     ""},
    {"an attribute that does not say its type", [](Model& m) { alpha(m).clear_type(); }, ""},
    {"metadata that is duplicated",
     [](Model& m) {
         for (int i = 0; i < 2; ++i) m.add_metadata_props()->set_key("author");
     },
     ""},
    {"an output without a type", [](Model& m) { m.mutable_graph()->mutable_output(0)->clear_type(); }, ""},
};

TEST(OnnxChecker, isStricter) { expectRefused(kTaken); }

} // namespace
} // namespace tenon::onnx
