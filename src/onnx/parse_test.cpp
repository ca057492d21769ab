// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parse.h"

#include "layers/softmax/softmax.h"
#include "support/onnx_model.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tenon::onnx {
namespace {

using test::asBytes;
using test::OnnxModel;

// A parser with a few importers of its own, so that these tests cover only the parser.
std::vector<Tensor*> importSoftmax(NodeReader& node) {
    Softmax layer;
    layer.axis = node.integer("axis", -1);
    return {node.add(layer, {node.input(0)})};
}
std::vector<Tensor*> importTwice(NodeReader& node) {
    Tensor* const once = node.add(Softmax{}, {node.input(0)});
    return {node.add(Softmax{}, {once}), once};
}
std::vector<Tensor*> importPass(NodeReader& node) { return {node.input(0)}; }
std::vector<Tensor*> importConstant(NodeReader& node) { return {node.constant(node.tensor("value"))}; }
std::vector<Tensor*> importAxisFromInput(NodeReader& node) {
    Softmax layer;
    layer.axis = node.constantInput(1).toInt64()[0];
    return {node.add(layer, {node.input(0)})};
}
constexpr Importer kImporters[]{{"Softmax", importSoftmax},
                                {"Twice", importTwice},
                                {"Pass", importPass},
                                {"Constant", importConstant},
                                {"AxisInput", importAxisFromInput},
                                {"Gelu", importSoftmax, "com.acme"}};
ImporterList const kLists[]{kImporters};

struct Parsed {
    Graph graph;
    ParseResult result;
    std::vector<std::string> log;

    explicit Parsed(std::string const& bytes, ParseOptions options = {}) {
        options.importers = kLists;
        options.log = [this](Severity, std::string const& message) { log.push_back(message); };
        result = parse(asBytes(bytes), graph, options);
    }
    explicit Parsed(OnnxModel const& model, ParseOptions const& options = {}) : Parsed(model.bytes(), options) {}

    std::string error() const { return result.errors.empty() ? "" : result.errors.front().text; }
};

constexpr Importer kLagging[]{{.op = "Softmax", .import = importSoftmax, .lastOpset = 12}};

/// x → Softmax → y
OnnxModel small() {
    OnnxModel model;
    model.input("x", {2, "N", ""});
    model.node("Softmax", {"x"}, {"y"}, "soft");
    model.output("y");
    return model;
}

TEST(OnnxParse, addsInputsNodesAndOutputs) {
    Parsed const parsed(small());
    EXPECT_EQ(parsed.error(), "");
    EXPECT_EQ(print(parsed.graph), "inputs x float32 linear cpu [2,N,x.2]\n"
                                   "  soft (Softmax) [axis=-1, log=false] x float32 linear cpu [2,N,x.2] -> y float32 "
                                   "linear cpu [2,N,x.2]\n"
                                   "outputs y float32 linear cpu [2,N,x.2]\n");
}

TEST(OnnxParse, readsExtentsOfAllKinds) {
    OnnxModel model = small();
    model.input("a", {"N", "?", -1, 0});
    Parsed const parsed(model);
    EXPECT_EQ(text(parsed.graph.tensorNamed("a")->shape), "[N,a.1,a.2,0]");
}

TEST(OnnxParse, putsNodesInOrder) {
    OnnxModel model;
    model.input("x", {2});
    model.node("Softmax", {"b"}, {"y"}, "last");
    model.node("Softmax", {"a"}, {"b"}, "middle");
    model.node("Softmax", {"x"}, {"a"}, "first");
    model.output("y");
    Parsed const parsed(model);
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.result.nodes[0].name, "first");
    EXPECT_EQ(parsed.result.nodes[0].index, 2);
    EXPECT_EQ(parsed.result.nodes[2].name, "last");
}

TEST(OnnxParse, namesLayersAfterTheNode) {
    OnnxModel model;
    model.input("x", {2});
    model.node("Twice", {"x"}, {"y", "z"}, "n");
    model.node("Softmax", {"y"}, {"w"});
    model.output("w");
    Parsed const parsed(model);
    ASSERT_EQ(parsed.error(), "");
    auto const order = parsed.graph.order();
    EXPECT_EQ(order[0]->name, "n");
    EXPECT_EQ(order[0]->output()->name, "z");
    EXPECT_EQ(order[1]->name, "n_2");
    EXPECT_EQ(order[1]->output()->name, "y");
    EXPECT_EQ(order[2]->name, "Softmax_w");
    EXPECT_EQ(parsed.result.nodes[0].outputs[1], parsed.graph.tensorNamed("z"));
}

TEST(OnnxParse, takesInitializersThatAreAlsoInputsAsConstants) {
    OnnxModel model;
    model.input("x", {2, 3});
    model.input("axis", {1}, 7);
    model.initializer("axis", {1}, 7).add_int64_data(0);
    model.node("AxisInput", {"x", "axis"}, {"y"});
    model.output("y");
    Parsed const parsed(model);
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.graph.inputs().size(), 1U);
    EXPECT_EQ(as<Softmax>(*parsed.graph.outputs()[0]->producer()->layer)->axis, 0);
}

TEST(OnnxParse, keepsTheMetadata) {
    OnnxModel model = small();
    auto* entry = model.proto.add_metadata_props();
    entry->set_key("character");
    entry->set_value("a\nb");
    EXPECT_EQ(Parsed(model).result.metadata.at("character"), "a\nb");
}

TEST(OnnxParse, namesAnUnknownOp) {
    OnnxModel model = small();
    model.node("Sofmax", {"y"}, {"z"}, "typo");
    model.output("z");
    EXPECT_EQ(Parsed(model).error(),
              "typo (Sofmax, opset 13, node 1): there is no importer, and no plugin \"Sofmax\", "
              "version 1, namespace \"\". Did you mean Softmax? Plugins are not looked up here.");
}

TEST(OnnxParse, namesAnOpOfAnotherDomain) {
    OnnxModel model = small();
    model.import("other", 2);
    model.node("Gelu", {"y"}, {"z"}).set_domain("other");
    model.output("z");
    EXPECT_EQ(Parsed(model).error(),
              "Gelu_z (Gelu, domain other, opset 2, node 1): there is no importer, and no plugin \"Gelu\", version 1, "
              "namespace \"\". There is an importer for this op in another domain. Plugins are not looked up here.");
}

TEST(OnnxParse, findsAllNodesThatAreNotSupported) {
    OnnxModel model = small();
    model.node("Foo", {"y"}, {"a"}, "one");
    model.node("Softmax", {"a"}, {"b"}, "behind");
    model.node("Bar", {"b"}, {"c"}, "two");
    model.node("Softmax", {"y"}, {"d"}, "beside");
    model.output("c");
    Parsed const parsed(model);
    ASSERT_EQ(parsed.result.errors.size(), 2U);
    EXPECT_EQ(parsed.result.errors[0].nodeName, "one");
    EXPECT_EQ(parsed.result.errors[0].op, "Foo");
    EXPECT_EQ(parsed.result.errors[0].node, 1);
    EXPECT_EQ(parsed.result.errors[0].code, ParseErrorCode::UnsupportedNode);
    EXPECT_STREQ(parsed.result.errors[0].foundBy.file, "src/onnx/import_lookup.cpp");
    EXPECT_GT(parsed.result.errors[0].foundBy.line, 0);
    EXPECT_EQ(parsed.result.errors[1].nodeName, "two");
    EXPECT_EQ(parsed.result.nodes[2].state, ParsedNode::State::NotReached);
    EXPECT_EQ(parsed.result.nodes[4].state, ParsedNode::State::Imported);
}

TEST(OnnxParse, putsTheNodeInFrontOfALayersError) {
    OnnxModel model;
    model.input("x", {2}, 6);
    model.node("Softmax", {"x"}, {"y"}, "soft");
    model.output("y");
    ParseOptions options;
    options.path = "models/net.onnx";
    EXPECT_EQ(Parsed(model, options).error(),
              "net.onnx: soft (Softmax, opset 13, node 0): input 0 is int32; expected float32, float16 or bfloat16");
}

TEST(OnnxParse, namesTheOverloadsOfALocalFunction) {
    OnnxModel model = small();
    model.import("mine", 1);
    for (char const* const overload : {"f32", "f16"}) {
        auto& function = *model.proto.add_functions();
        function.set_domain("mine");
        function.set_name("F");
        function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(13, overload);
    }
    auto& call = model.node("F", {"y"}, {"z"}, "call");
    call.set_domain("mine");
    call.GetReflection()->MutableUnknownFields(&call)->AddLengthDelimited(8, "f64");
    model.output("z");
    EXPECT_EQ(Parsed(model).error(), "call (F, domain mine, opset 1, node 1): asks for the overload \"f64\" of a local "
                                     "function, but the model has it with \"f32\", \"f16\"; name one of these");
}

TEST(OnnxParse, refusesAnInputThatNobodyMakes) {
    OnnxModel model = small();
    model.input("logits", {2});
    model.node("Softmax", {"logis"}, {"z"}, "soft2");
    model.output("z");
    EXPECT_EQ(Parsed(model).error(),
              "soft2 (Softmax, opset 13, node 1): reads 'logis', which no node, initializer or input "
              "of the graph makes; did you mean 'logits'?");
}

TEST(OnnxParse, refusesAnOutputThatNobodyMakes) {
    OnnxModel model = small();
    model.output("probabilities");
    EXPECT_EQ(Parsed(model).error(),
              "the model: the graph has an output 'probabilities', which no node, initializer or "
              "input of the graph makes");
}

TEST(OnnxParse, refusesACycle) {
    OnnxModel model = small();
    model.node("Softmax", {"b"}, {"a"}, "one");
    model.node("Softmax", {"a"}, {"b"}, "two");
    model.node("Softmax", {"b"}, {"c"}, "three");
    Parsed const parsed(model);
    EXPECT_EQ(parsed.error(), "the model: the graph has a cycle through: one (Softmax), two (Softmax)");
    EXPECT_EQ(parsed.result.errors[0].code, ParseErrorCode::InvalidGraph);
}

TEST(OnnxParse, refusesTensorsThatAreMadeTwice) {
    OnnxModel model = small();
    model.node("Pass", {"x"}, {"y"}, "again");
    EXPECT_EQ(Parsed(model).error(), "the model: tensor 'y' is produced twice: by soft (Softmax) and by again (Pass)");
}

TEST(OnnxParse, refusesANodeThatMakesAnInitializer) {
    OnnxModel model = small();
    model.floats("w", {1}, {1});
    model.node("Pass", {"x"}, {"w"}, "clash");
    EXPECT_EQ(Parsed(model).error(),
              "clash (Pass, opset 13, node 1): makes 'w', which is also an input or initializer of the graph");
}

TEST(OnnxParse, refusesTwoInitializersOfOneName) {
    OnnxModel model = small();
    model.floats("w", {1}, {1});
    model.floats("w", {1}, {2});
    EXPECT_EQ(Parsed(model).error(), "the model: two initializers are named 'w'");
}

TEST(OnnxParse, refusesTwoInputsOfOneName) {
    OnnxModel model = small();
    model.input("x", {2});
    EXPECT_EQ(Parsed(model).error(), "the model: two inputs are named 'x'");
}

TEST(OnnxParse, refusesSparseInitializers) {
    OnnxModel model = small();
    model.proto.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("w");
    EXPECT_EQ(Parsed(model).error(), "the model: initializer 'w' is sparse; save it as a dense one");
}

TEST(OnnxParse, renamesAnInputThatIsAnOutput) {
    OnnxModel model = small();
    model.output("x");
    Parsed const parsed(model);
    EXPECT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.graph.inputs()[0]->name, "__x");
    ASSERT_EQ(parsed.graph.outputs().size(), 2U);
    EXPECT_EQ(parsed.graph.outputs()[1]->name, "x");
    EXPECT_EQ(parsed.graph.outputs()[1]->producer()->input(0), parsed.graph.inputs()[0]);
    EXPECT_EQ(parsed.log, (std::vector<std::string>{"output 'x' is also an input; the engine's input is named '__x'"}));
}

TEST(OnnxParse, refusesInputsThatAreNoTensors) {
    OnnxModel model = small();
    auto* input = model.proto.mutable_graph()->add_input();
    input->set_name("s");
    input->mutable_type()->mutable_sequence_type();
    EXPECT_EQ(Parsed(model).error(), "the model: input 's': is a sequence; inputs must be tensors");
}

TEST(OnnxParse, refusesInputsWithoutShape) {
    OnnxModel model = small();
    model.input("s", {}).mutable_type()->mutable_tensor_type()->clear_shape();
    EXPECT_EQ(Parsed(model).error(), "the model: input 's': has no shape; add one, with names for dynamic extents");
}

TEST(OnnxParse, refusesInputsOfTypesThatHaveNone) {
    OnnxModel model = small();
    model.input("s", {1}, 8);
    EXPECT_EQ(Parsed(model).error(), "the model: input 's': type 8 (string) is not supported; expected float, float16, "
                                     "bfloat16, an integer type or bool");
}

TEST(OnnxParse, refusesInputsOfTypesThatAreNewer) {
    OnnxModel model = small();
    model.input("s", {1}, 40);
    EXPECT_EQ(Parsed(model).error(),
              "the model: input 's': type 40 (unknown to this reader) is not supported; expected "
              "float, float16, bfloat16, an integer type or bool");
}

TEST(OnnxParse, takesFloat64InputsAsFloat32) {
    OnnxModel model;
    model.input("x", {2}, 11);
    model.node("Softmax", {"x"}, {"y"});
    model.output("y");
    Parsed const parsed(model);
    EXPECT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.graph.inputs()[0]->type, DataType::Float32);
    EXPECT_EQ(parsed.log, std::vector<std::string>{"input 'x' is float64; it is read as float32"});
}

TEST(OnnxParse, refusesAConstantThatIsNotOne) {
    OnnxModel model;
    model.input("x", {2, 3});
    model.input("axis", {1}, 7);
    model.node("AxisInput", {"x", "axis"}, {"y"}, "soft");
    model.output("y");
    EXPECT_EQ(Parsed(model).error(), "soft (AxisInput, opset 13, node 0): input 1 ('axis') depends on run-time inputs; "
                                     "it must be an initializer, or computed from constants");
}

TEST(OnnxParse, refusesAnInputThatIsLeftOut) {
    OnnxModel model;
    model.input("x", {2, 3});
    model.node("AxisInput", {"x"}, {"y"}, "soft");
    model.output("y");
    EXPECT_EQ(Parsed(model).error(), "soft (AxisInput, opset 13, node 0): input 1 is missing");
}

TEST(OnnxParse, refusesAnAttributeOfAnotherType) {
    OnnxModel model = small();
    test::setString(*model.proto.mutable_graph()->mutable_node(0), "axis", "last");
    EXPECT_EQ(Parsed(model).error(),
              "soft (Softmax, opset 13, node 0): attribute 'axis' is of type STRING; expected INT");
}

TEST(OnnxParse, refusesAMissingAttribute) {
    OnnxModel model = small();
    model.node("Constant", {}, {"c"}, "const");
    EXPECT_EQ(Parsed(model).error(), "const (Constant, opset 13, node 1): attribute 'value' is missing");
}

TEST(OnnxParse, refusesOutputsThatAreNotComputed) {
    OnnxModel model = small();
    model.node("Softmax", {"x"}, {"a", "b"}, "two");
    EXPECT_EQ(Parsed(model).error(), "two (Softmax, opset 13, node 1): output 1 ('b') is not supported");
}

TEST(OnnxParse, refusesAModelThatDoesNotSayItsOpset) {
    OnnxModel model = small();
    model.proto.clear_opset_import();
    EXPECT_EQ(Parsed(model).error(), "soft (Softmax, node 0): the model has no opset_import for its nodes");
}

TEST(OnnxParse, readsTheOldestModelsAsOpset1) {
    OnnxModel model = small();
    model.proto.clear_opset_import();
    model.proto.set_ir_version(1);
    model.proto.mutable_graph()->mutable_node(0)->add_attribute()->set_name("axis"); // and without a type
    model.proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->set_i(1);
    EXPECT_EQ(Parsed(model).error(), "");
}

TEST(OnnxParse, tellsOfNewerVersions) {
    OnnxModel model = small();
    model.proto.set_ir_version(99);
    model.proto.mutable_opset_import(0)->set_version(77);
    Parsed const parsed(model);
    EXPECT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.log,
              (std::vector<std::string>{"the model is of IR version 99, newer than 14, the newest supported one",
                                        "the model is of opset 77; its nodes are read by the rules of opset 28"}));
}

TEST(OnnxParse, tellsOfAnOutputThatIsOfAnotherType) {
    OnnxModel model = small();
    auto* type = model.proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type();
    for (int const same : {0, 1, 11}) { // not stated, float32, float64
        type->set_elem_type(same);
        EXPECT_TRUE(Parsed(model).log.empty()) << same;
    }
    type->set_elem_type(7);
    EXPECT_EQ(Parsed(model).log,
              std::vector<std::string>{
                  "output 'y' is int64 in the model's list of outputs, but its node makes float32, which is kept"});
}

TEST(OnnxParse, takesOnnxsOwnDomainByBothNames) {
    OnnxModel model = small();
    model.proto.mutable_opset_import(0)->set_domain("ai.onnx");
    model.proto.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
    EXPECT_EQ(Parsed(model).error(), "");
}

TEST(OnnxParse, takesInitializersFromElsewhere) {
    OnnxModel model;
    model.input("x", {2, 3});
    model.initializer("axis", {1}, 7); // no data
    model.node("AxisInput", {"x", "axis"}, {"y"});
    model.output("y");
    int64_t const axis = 0;
    ParseOptions options;
    options.initializers["axis"] = std::as_bytes(std::span(&axis, 1));
    Parsed const parsed(model, options);
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(as<Softmax>(*parsed.graph.outputs()[0]->producer()->layer)->axis, 0);
}

/// The error of the model with an additional attribute.
template <class Set> std::string errorWith(Set const& set) {
    OnnxModel model = small();
    set(*model.proto.mutable_graph()->mutable_node(0));
    return Parsed(model).error();
}

TEST(OnnxParse, refusesAttributesThatNobodyReads) {
    using A = proto::AttributeProto;
    std::string const where = "soft (Softmax, opset 13, node 0): attribute 'window' = ";
    std::string const why = " is not an attribute of Softmax of opset 13, so its effect would be lost; export the "
                            "model without it, or remove it if it has no effect";
    EXPECT_EQ(errorWith([](proto::NodeProto& node) { test::setInt(node, "window", 3); }), where + "3" + why);
    EXPECT_EQ(errorWith([](proto::NodeProto& node) { test::setString(node, "window", "wide"); }),
              where + "\"wide\"" + why);
    EXPECT_EQ(errorWith([](proto::NodeProto& node) {
                  auto& attribute = test::attribute(node, "window", A::INTS);
                  for (int i = 0; i < 9; ++i) attribute.add_ints(i);
              }),
              where + "[0, 1, 2, 3, 4, 5, 6, 7, …]" + why);
    EXPECT_EQ(errorWith([](proto::NodeProto& node) { test::attribute(node, "window", A::GRAPH).mutable_g(); }),
              where + "of type GRAPH" + why);
    EXPECT_EQ(errorWith([](proto::NodeProto& node) { test::setInt(node, "axis", -1); }), "");
}

TEST(OnnxParse, refusesAnAttributeThatStandsTwice) {
    EXPECT_NE(errorWith([](proto::NodeProto& node) {
                  test::setInt(node, "axis", 0);
                  test::attribute(node, "axis", proto::AttributeProto::INT).set_i(1);
              }),
              "");
}

TEST(OnnxParse, passesOverTheHintForMemoryThatAllOperatorsOnceHad) {
    for (int const opset : {5, 6}) {
        OnnxModel model(opset);
        model.input("x", {2});
        auto& node = model.node("Softmax", {"x"}, {"y"}, "soft");
        test::attribute(node, "consumed_inputs", proto::AttributeProto::INTS).add_ints(0);
        model.output("y");
        EXPECT_EQ(Parsed(model).error().empty(), opset == 5);
    }
}

TEST(OnnxParse, refusesAnOperatorThatChangedAfterTheOpsetThatIsKnown) {
    ImporterList const lists[]{kLagging};
    ParseOptions options;
    options.importers = lists;
    Graph graph;
    auto const result = parse(asBytes(small().bytes()), graph, options);
    ASSERT_EQ(result.errors.size(), 1U);
    EXPECT_EQ(result.errors[0].text, "soft (Softmax, opset 13, node 0): Softmax changed after opset 12, the last "
                                     "supported one, and the model is of opset 13; export it with opset 12");
    EXPECT_EQ(result.errors[0].code, ParseErrorCode::UnsupportedNode);
}

} // namespace
} // namespace tenon::onnx
