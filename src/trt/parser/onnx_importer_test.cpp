// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/onnx.h"

#include "NvOnnxParser.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/onnx_model.h"

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace tenon {
namespace {

using namespace nvinfer1;
using nvonnxparser::IParser;
using test::Defining;
using test::OnnxModel;
using test::Running;

using Floats = std::vector<float>;
using Outputs = std::vector<ITensor*>;

constexpr char const* kDomain = "com.example";
// TensorProto.DataType
constexpr int kUInt8 = 2;
constexpr int kUInt4 = 21;

struct Parsing : Defining {
    std::unique_ptr<IParser> parser{nvonnxparser::createParser(*network, messages)};

    bool parse(OnnxModel const& model) {
        std::string const bytes = model.bytes();
        return parser->parse(bytes.data(), bytes.size());
    }
    std::string errorOf(OnnxModel const& model) {
        EXPECT_FALSE(parse(model));
        return parser->getNbErrors() == 0 ? "" : parser->getError(0)->desc();
    }
};

/// x → op → y, of the domain's opset.
OnnxModel modelOf(std::string const& op, int opset = 2, std::vector<OnnxModel::Dim> const& dims = {1, 4}) {
    OnnxModel model;
    model.import(kDomain, opset);
    model.input("x", dims);
    model.node(op, {"x"}, {"y"}, "mine").set_domain(kDomain);
    model.output("y");
    return model;
}

proto::NodeProto& nodeOf(OnnxModel& model) { return *model.proto.mutable_graph()->mutable_node(0); }

ITensor* timesOf(INetworkDefinition& network, ITensor& x, float factor) {
    nvinfer1::Dims dims{};
    dims.nbDims = x.getDimensions().nbDims;
    for (int32_t i = 0; i < dims.nbDims; ++i) dims.d[i] = 1;
    ITensor* const constant =
        network.addConstant(dims, Weights{nvinfer1::DataType::kFLOAT, &factor, 1})->getOutput(0); // which is copied
    return network.addElementWise(x, *constant, ElementWiseOperation::kPROD)->getOutput(0);
}

/// y = factor · x, as successive importers may register it.
ImportOnnxNode times(float factor) {
    return [factor](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{timesOf(network, node.input(0), factor)};
    };
}

TEST(OnnxImporter, addsTheLayersOfANode) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_STREQ(node.op(), "Times");
        EXPECT_STREQ(node.domain(), kDomain);
        EXPECT_STREQ(node.name(), "mine");
        EXPECT_EQ(node.opset(), 2);
        EXPECT_EQ(node.inputCount(), 1);
        EXPECT_EQ(node.outputCount(), 1);
        return Outputs{timesOf(network, node.input(0), node.real("factor", 0.5F))};
    });
    OnnxModel model = modelOf("Times");
    test::attribute(nodeOf(model), "factor", proto::AttributeProto::FLOAT).set_f(2.5F);
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_STREQ(p.network->getOutput(0)->getName(), "y");
    EXPECT_EQ(p.parser->getLayerOutputTensor("mine", 0), p.network->getOutput(0));
    ASSERT_EQ(p.network->getNbLayers(), 2);
    for (int32_t i = 0; i < 2; ++i)
        EXPECT_TRUE(std::string(p.network->getLayer(i)->getName()).starts_with("mine/"))
            << p.network->getLayer(i)->getName();
    EXPECT_EQ(Running(*p.build()).run({1, 2, 3, -4}, 4), (Floats{2.5F, 5, 7.5F, -10}));
}

TEST(OnnxImporter, isRegisteredWhileItLives) {
    { OnnxImporter const mine("Times", kDomain, {1, 3}, times(2)); }
    Parsing p;
    EXPECT_NE(p.errorOf(modelOf("Times")).find("there is no importer"), std::string::npos);
}

TEST(OnnxImporter, readsAttributesOfEachKind) {
    OnnxImporter const mine("All", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_EQ(node.integer("i"), 7);
        EXPECT_EQ(node.real("f"), 1.5F);
        EXPECT_EQ(node.text("s"), "linear");
        EXPECT_EQ(node.integers("is"), (std::vector<int64_t>{1, -2}));
        EXPECT_EQ(node.reals("fs"), (Floats{0.5F, 2}));
        EXPECT_EQ(node.texts("ss"), (std::vector<std::string>{"a", "bc"}));
        OnnxTensor const tensor = node.tensor("t");
        EXPECT_EQ(tensor.extents(), (std::vector<int64_t>{2, 1}));
        EXPECT_EQ(test::extents(tensor.dims()), (std::vector<int64_t>{2, 1}));
        EXPECT_EQ(tensor.elementType(), proto::TensorProto::INT16);
        EXPECT_EQ(tensor.weights().type, nvinfer1::DataType::kINT32); // the next wider one
        EXPECT_EQ(tensor.integers(), (std::vector<int64_t>{-3, 300}));
        EXPECT_EQ(tensor.reals(), (Floats{-3, 300}));
        EXPECT_FALSE(node.has("none"));
        EXPECT_EQ(node.integer("none", 4), 4);
        EXPECT_EQ(node.real("none", 4), 4);
        EXPECT_EQ(node.text("none", "4"), "4");
        EXPECT_EQ(node.integers("none", {4}), (std::vector<int64_t>{4}));
        EXPECT_EQ(node.reals("none", {4}), (Floats{4}));
        EXPECT_EQ(node.texts("none", {"4"}), (std::vector<std::string>{"4"}));
        EXPECT_TRUE(node.has("seen"));
        node.ignore({"hint", "none"});
        return Outputs{network.addIdentity(node.input(0))->getOutput(0)};
    });
    OnnxModel model = modelOf("All");
    auto& node = nodeOf(model);
    using Attribute = proto::AttributeProto;
    test::setInt(node, "i", 7);
    test::attribute(node, "f", Attribute::FLOAT).set_f(1.5F);
    test::setString(node, "s", "linear");
    auto& integers = test::attribute(node, "is", Attribute::INTS);
    integers.add_ints(1);
    integers.add_ints(-2);
    auto& reals = test::attribute(node, "fs", Attribute::FLOATS);
    reals.add_floats(0.5F);
    reals.add_floats(2);
    auto& texts = test::attribute(node, "ss", Attribute::STRINGS);
    texts.add_strings("a");
    texts.add_strings("bc");
    auto& tensor = *test::attribute(node, "t", Attribute::TENSOR).mutable_t();
    tensor.set_data_type(proto::TensorProto::INT16);
    tensor.add_dims(2);
    tensor.add_dims(1);
    tensor.add_int32_data(-3);
    tensor.add_int32_data(300);
    test::setInt(node, "seen", 1);
    test::setString(node, "hint", "fast");
    Parsing p;
    EXPECT_TRUE(p.parse(model)) << p.messages.lastError();
}

TEST(OnnxImporter, readsConstantsAndOptionalInputs) {
    OnnxImporter const mine("Scaled", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_EQ(node.inputCount(), 3);
        EXPECT_EQ(node.optionalInput(1), nullptr);
        EXPECT_FALSE(node.hasInput(1));
        EXPECT_EQ(node.optionalInput(7), nullptr);
        EXPECT_FALSE(node.isConstant(0));
        EXPECT_TRUE(node.isConstant(2));
        OnnxTensor const scale = node.constant(2);
        EXPECT_EQ(scale.extents(), (std::vector<int64_t>{1, 4}));
        EXPECT_EQ(scale.reals(), (Floats{1, 2, 3, 4}));
        ITensor* const scales = network.addConstant(scale.dims(), scale.weights())->getOutput(0);
        ITensor* const once = network.addElementWise(node.input(0), *scales, ElementWiseOperation::kPROD)->getOutput(0);
        return Outputs{network.addElementWise(*once, node.input(2), ElementWiseOperation::kSUM)->getOutput(0)};
    });
    OnnxModel model = modelOf("Scaled");
    model.floats("scale", {1, 4}, {1, 2, 3, 4});
    nodeOf(model).add_input("");
    nodeOf(model).add_input("scale");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(Running(*p.build()).run({1, 1, 10, 1}, 4), (Floats{2, 4, 33, 8}));
}

TEST(OnnxImporter, keepsOpenExtentsEqual) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    OnnxModel model = modelOf("Times", 2, {"N", 2});
    model.proto.mutable_graph()->clear_output();
    model.node("Add", {"x", "y"}, {"z"}); // of [N,2] and [N,2]
    test::setInt(model.node("Concat", {"x", "z"}, {"w"}), "axis", 1);
    model.output("w");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(test::extents(p.network->getOutput(0)->getDimensions()), (std::vector<int64_t>{-1, 4}));
    p.range("x", {1, 2}, {2, 2}, {4, 2});
    auto const file = p.build();
    ASSERT_NE(file, nullptr);
    Running r(*file);
    ASSERT_TRUE(r.context->setInputShape("x", test::dims({3, 2}))) << r.messages.lastError();
    EXPECT_EQ(test::extents(r.context->getTensorShape("w")), (std::vector<int64_t>{3, 4}));
}

TEST(OnnxImporter, readsShapesThatDecideShapes) {
    OnnxImporter const mine("Flat", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        IShuffleLayer* const shuffle = network.addShuffle(node.input(0));
        shuffle->setInput(1, node.input(1));
        return Outputs{shuffle->getOutput(0)};
    });
    OnnxModel model = modelOf("Flat", 2, {"N", 2});
    nodeOf(model).add_input("target");
    model.node("Shape", {"x"}, {"shape"});
    model.initializer("one", {1}, proto::TensorProto::INT64).add_int64_data(1);
    model.initializer("at", {1}, proto::TensorProto::INT64).add_int64_data(0);
    model.node("Gather", {"shape", "at"}, {"rows"});
    test::setInt(model.node("Concat", {"rows", "one", "one", "one"}, {"ones"}), "axis", 0);
    model.initializer("last", {4}, proto::TensorProto::INT64);
    for (int64_t const extent : {1, 1, 1, 2})
        model.proto.mutable_graph()->mutable_initializer(2)->add_int64_data(extent);
    model.node("Mul", {"ones", "last"}, {"target"});
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(test::extents(p.network->getOutput(0)->getDimensions()), (std::vector<int64_t>{-1, 1, 1, 2}));
    p.range("x", {1, 2}, {2, 2}, {4, 2});
    Running r(*p.build());
    ASSERT_TRUE(r.context->setInputShape("x", test::dims({3, 2}))) << r.messages.lastError();
    EXPECT_EQ(test::extents(r.context->getTensorShape("y")), (std::vector<int64_t>{3, 1, 1, 2}));
}

TEST(OnnxImporter, leavesTheModelsWeightsTheModels) {
    OnnxImporter const mine("Plus", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{network.addElementWise(node.input(0), node.input(1), ElementWiseOperation::kSUM)->getOutput(0)};
    });
    OnnxModel model = modelOf("Plus");
    model.floats("bias", {1, 4}, {1, 2, 3, 4});
    nodeOf(model).add_input("bias");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    ASSERT_EQ(p.network->getNbLayers(), 2); // the constant exists once
    EXPECT_STREQ(p.network->getLayer(0)->getName(), "bias");
}

TEST(OnnxImporter, saysWhichElementTypeItMakes) {
    OnnxImporter const quantized("Quantized", kDomain, {1, 3},
                                 [](OnnxModelNode const& node, INetworkDefinition& network) {
                                     EXPECT_EQ(node.elementType(0), kUInt4);
                                     ITensor* const y = network.addIdentity(node.input(0))->getOutput(0);
                                     EXPECT_EQ(y->getType(), nvinfer1::DataType::kUINT8);
                                     node.setElementType(*y, kUInt8);
                                     return Outputs{y};
                                 });
    OnnxImporter const kept("Kept", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{network.addIdentity(node.input(0))->getOutput(0)};
    });
    OnnxImporter const seen("Seen", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_EQ(node.elementType(0), node.integer("expected"));
        return Outputs{network.addIdentity(node.input(0))->getOutput(0)};
    });
    for (auto const& [op, type] : {std::pair{"Quantized", kUInt8}, std::pair{"Kept", kUInt4}}) {
        OnnxModel model;
        model.import(kDomain, 1);
        model.input("x", {4}, kUInt4);
        model.node(op, {"x"}, {"m"}).set_domain(kDomain);
        auto& node = model.node("Seen", {"m"}, {"y"});
        node.set_domain(kDomain);
        test::setInt(node, "expected", type);
        model.output("y");
        Parsing p;
        EXPECT_TRUE(p.parse(model)) << p.messages.lastError();
    }
}

TEST(OnnxImporter, goesBeforeALibrarysImporterAndLastOneFirst) {
    OnnxModel model;
    model.input("x", {1, 2});
    model.node("Relu", {"x"}, {"y"}, "mine");
    model.output("y");
    auto const run = [&] {
        Parsing p;
        EXPECT_TRUE(p.parse(model)) << p.messages.lastError();
        return Running(*p.build()).run({-1, 2}, 2);
    };
    EXPECT_EQ(run(), (Floats{0, 2}));
    {
        OnnxImporter const old("Relu", "", {1, 12}, times(2)); // the model is of opset 13
        EXPECT_EQ(run(), (Floats{0, 2}));
        OnnxImporter const now("Relu", "ai.onnx", OnnxOpsets::from(13), times(3)); // the other name of that domain
        EXPECT_EQ(run(), (Floats{-3, 6}));
    }
    EXPECT_EQ(run(), (Floats{0, 2}));
}

TEST(OnnxImporter, goesBeforeAPluginUnlessPluginsGoFirst) {
    test::Registered<test::TimesV2Creator> creator;
    OnnxImporter const mine("TimesV2", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{timesOf(network, node.input(0), 10 * node.real("factor"))};
    });
    OnnxModel model = modelOf("TimesV2");
    test::attribute(nodeOf(model), "factor", proto::AttributeProto::FLOAT).set_f(2);
    for (bool const pluginsFirst : {false, true}) {
        Parsing p;
        if (pluginsFirst) p.parser->setFlag(nvonnxparser::OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
        ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
        EXPECT_EQ(Running(*p.build()).run({1, 2, 3, 4}, 4)[0], pluginsFirst ? 2 : 20);
    }
    Parsing p; // the plugin reads an opset that the importer does not support
    nodeOf(model).set_domain("");
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(p.network->getLayer(0)->getType(), LayerType::kPLUGIN_V2);
}

TEST(OnnxImporter, saysForWhichOpsetsThereIsOne) {
    OnnxImporter const one("Times", kDomain, {2, 3}, times(2));
    OnnxImporter const another("Times", kDomain, {7, 7}, times(2));
    OnnxImporter const open("Times", kDomain, OnnxOpsets::from(9), times(2));
    Parsing p;
    EXPECT_EQ(
        p.errorOf(modelOf("Times", 5)),
        "mine (Times, domain com.example, opset 5, node 0): an importer is registered for opsets from 9 on "
        "(trt_test), for opset 7 (trt_test), for opsets 2 to 3 (trt_test), and the model has opset 5; there is no "
        "plugin of that name");
    OnnxModel model = modelOf("Times", 2);
    model.proto.mutable_opset_import()->RemoveLast();
    EXPECT_EQ(
        p.errorOf(model),
        "mine (Times, domain com.example, node 0): an importer is registered for opsets from 9 on (trt_test), for "
        "opset 7 (trt_test), for opsets 2 to 3 (trt_test), and the model does not say of which opset domain "
        "'com.example' is; there is no plugin of that name");
}

TEST(OnnxImporter, isPartOfWhatAParserSupports) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    Parsing p;
    EXPECT_TRUE(p.parser->supportsOperator("Times"));
    EXPECT_FALSE(p.parser->supportsOperator("Thymes"));
    std::string const bytes = modelOf("Times").bytes();
    EXPECT_TRUE(p.parser->supportsModelV2(bytes.data(), bytes.size()));
    EXPECT_EQ(p.network->getNbLayers(), 0);
    EXPECT_EQ(p.network->getNbInputs(), 0);
    SubGraphCollection_t parts;
    EXPECT_TRUE(p.parser->supportsModel(bytes.data(), bytes.size(), parts));
    EXPECT_EQ(p.network->getNbLayers(), 0);
    std::string const other = modelOf("Times", 4).bytes();
    EXPECT_FALSE(p.parser->supportsModelV2(other.data(), other.size()));
}

TEST(OnnxImporter, readsAModelInParts) {
    OnnxImporter const mine("Plus", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{network.addElementWise(node.input(0), node.input(1), ElementWiseOperation::kSUM)->getOutput(0)};
    });
    OnnxModel model = modelOf("Plus");
    model.floats("bias", {1, 4}, {0, 0, 0, 0});
    nodeOf(model).add_input("bias");
    std::string const bytes = model.bytes();
    Floats const bias{1, 2, 3, 4};
    Parsing p;
    ASSERT_TRUE(p.parser->loadModelProto(bytes.data(), bytes.size()));
    ASSERT_TRUE(p.parser->loadInitializer("bias", bias.data(), bias.size() * sizeof(float)));
    ASSERT_TRUE(p.parser->parseModelProto()) << p.messages.lastError();
    EXPECT_EQ(Running(*p.build()).run({1, 1, 1, 1}, 4), (Floats{2, 3, 4, 5}));
}

/// A graph of one node of ours, from its outer `input` to `output`.
void setBody(proto::GraphProto& body, std::string const& input, std::string const& output) {
    body.set_name("body");
    auto& node = *body.add_node();
    node.set_op_type("Times");
    node.set_domain(kDomain);
    node.add_input(input);
    node.add_output(output);
    body.add_output()->set_name(output);
}

TEST(OnnxImporter, addsNodesInBranches) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    OnnxModel model;
    model.import(kDomain, 1);
    model.input("x", {1, 2});
    model.input("c", {1}, proto::TensorProto::BOOL);
    auto& choice = model.node("If", {"c"}, {"y"}, "choice");
    setBody(*test::attribute(choice, "then_branch", proto::AttributeProto::GRAPH).mutable_g(), "x", "t");
    auto& otherwise = *test::attribute(choice, "else_branch", proto::AttributeProto::GRAPH).mutable_g();
    setBody(otherwise, "x", "e1");
    otherwise.clear_output();
    otherwise.mutable_node(0)->set_output(0, "e0");
    auto& second = *otherwise.add_node();
    second.CopyFrom(otherwise.node(0));
    second.set_input(0, "e0");
    second.set_output(0, "e1");
    otherwise.add_output()->set_name("e1");
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    Running r(*p.build());
    for (bool condition : {true, false}) {
        Floats x{1, 3};
        Floats y(2);
        r.context->setTensorAddress("x", x.data());
        r.context->setTensorAddress("c", &condition);
        r.context->setTensorAddress("y", y.data());
        r.run();
        EXPECT_EQ(y, condition ? (Floats{2, 6}) : (Floats{4, 12}));
    }
}

TEST(OnnxImporter, addsNodesInLoops) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    OnnxModel model;
    model.import(kDomain, 1);
    model.input("x", {1, 2});
    model.input("trips", {}, proto::TensorProto::INT64);
    auto& loop = model.node("Loop", {"trips", "", "x"}, {"y"}, "loop");
    auto& body = *test::attribute(loop, "body", proto::AttributeProto::GRAPH).mutable_g();
    setBody(body, "state", "next");
    body.clear_output();
    for (char const* name : {"i", "c", "state"}) {
        auto& input = *body.add_input();
        input.set_name(name);
    }
    for (char const* name : {"c", "next"}) body.add_output()->set_name(name);
    auto& keep = *body.add_node();
    keep.set_op_type("Identity");
    keep.add_input("c");
    keep.add_output("goes_on");
    body.mutable_output(0)->set_name("goes_on");
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    Running r(*p.build());
    Floats x{1, 3};
    Floats y(2);
    int64_t trips = 3;
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("trips", &trips);
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(y, (Floats{8, 24}));
}

TEST(OnnxImporter, goesBeforeALocalFunctionAndStandsInOne) {
    OnnxModel model = modelOf("Twice");
    auto& function = *model.proto.add_functions();
    function.set_name("Twice");
    function.set_domain(kDomain);
    auto& import = *function.add_opset_import();
    import.set_domain(kDomain);
    import.set_version(2);
    function.add_input("a");
    function.add_output("b");
    auto& inner = *function.add_node();
    inner.set_op_type("Times");
    inner.set_domain(kDomain);
    inner.add_input("a");
    inner.add_output("b");
    OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    {
        Parsing p;
        ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
        EXPECT_EQ(Running(*p.build()).run({1, 2, 3, 4}, 4), (Floats{2, 4, 6, 8}));
    }
    OnnxImporter const whole("Twice", kDomain, {2, 2}, times(5));
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(Running(*p.build()).run({1, 2, 3, 4}, 4), (Floats{5, 10, 15, 20}));
}

TEST(OnnxImporter, isFoundByAddOnnxNode) {
    OnnxImporter const mine("Times", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_EQ(node.opset(), 3) << "the last one, where none is asked for";
        return Outputs{timesOf(network, node.input(0), node.real("factor"))};
    });
    Defining d;
    d.output(addOnnxNode(*d.network, OnnxOperator("Times").domain(kDomain), {&d.input("x", {2})},
                         OnnxAttributes().real("factor", 4))[0]);
    EXPECT_EQ(Running(*d.build()).run({1, 2}, 2), (Floats{4, 8}));
}

TEST(OnnxImporter, mayAddTheOperatorOfItsOwnNameAsTheLibraryKnowsIt) {
    int calls = 0;
    OnnxImporter const mine("LeakyRelu", "", {1, 28}, [&](OnnxModelNode const& node, INetworkDefinition& network) {
        ++calls;
        auto const y =
            addOnnxNode(network, OnnxOperator("LeakyRelu").opset(node.opset()), {&node.input(0)}, node.attributes());
        return Outputs{timesOf(network, *y[0], 100)};
    });
    OnnxModel model;
    model.input("x", {1, 2});
    test::attribute(model.node("LeakyRelu", {"x"}, {"y"}), "alpha", proto::AttributeProto::FLOAT).set_f(0.5F);
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(Running(*p.build()).run({-1, 2}, 2), (Floats{-50, 200}));
}

// ONNX's Dropout must know that it is not training: here by Not(true), which the model computes.
TEST(OnnxImporter, knowsWhatIsComputedFromConstants) {
    OnnxImporter const mine("Maybe", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        EXPECT_TRUE(node.isConstant(1));
        EXPECT_EQ(node.constant(1).integers(), (std::vector<int64_t>{0}));
        return addOnnxNode(network, "Dropout", {&node.input(0), nullptr, &node.input(1)});
    });
    OnnxModel model = modelOf("Maybe");
    nodeOf(model).add_input("training");
    model.initializer("yes", {}, proto::TensorProto::BOOL).add_int32_data(1);
    model.node("Not", {"yes"}, {"training"});
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(Running(*p.build()).run({1, 2, 3, 4}, 4), (Floats{1, 2, 3, 4}));
}

TEST(OnnxImporter, isNotCalledWhileItIsCalled) {
    OnnxImporter const ping("Ping", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return addOnnxNode(network, OnnxOperator("Pong").domain(kDomain), {&node.input(0)});
    });
    OnnxImporter const pong("Pong", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        return addOnnxNode(network, OnnxOperator("Ping").domain(kDomain), {&node.input(0)});
    });
    Parsing p;
    EXPECT_EQ(
        p.errorOf(modelOf("Ping")),
        "mine (Ping, domain com.example, opset 2, node 0): its importer, of trt_test: Pong (Pong, domain com.example, "
        "opset 3): its importer, of trt_test: Ping (Ping, domain com.example, opset 28): its importer adds a node of "
        "the same operator, for which there is no other importer and no plugin of that name");
}

TEST(OnnxImporter, mayAddPluginsAndLoops) {
    test::Registered<test::TimesV2Creator> creator;
    OnnxImporter const mine("Looped", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        float const factor = 3;
        PluginField const field{"factor", &factor, PluginFieldType::kFLOAT32, 1};
        PluginFieldCollection const fields{1, &field};
        auto* const made = static_cast<IPluginCreator*>(getPluginRegistry()->getPluginCreator("TimesV2", "1"));
        std::unique_ptr<IPluginV2, void (*)(IPluginV2*)> const plugin(made->createPlugin("times", &fields),
                                                                      [](IPluginV2* one) { one->destroy(); });
        ITensor* x = &node.input(0);
        x = network.addPluginV2(&x, 1, *plugin)->getOutput(0);
        ILoop* const loop = network.addLoop();
        int32_t const trips = 2;
        loop->addTripLimit(
            *network.addConstant(nvinfer1::Dims{}, Weights{nvinfer1::DataType::kINT32, &trips, 1})->getOutput(0),
            TripLimit::kCOUNT);
        IRecurrenceLayer* const state = loop->addRecurrence(*x);
        state->setInput(1, *timesOf(network, *state->getOutput(0), 2));
        return Outputs{loop->addLoopOutput(*state->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0)};
    });
    OnnxModel model = modelOf("Looped");
    model.proto.mutable_graph()->mutable_node(0)->set_output(0, "m");
    model.node("Looped", {"m"}, {"y"}, "again").set_domain(kDomain); // loops of two nodes stay apart
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(Running(*p.build()).run({1, 2, 3, 4}, 4), (Floats{144, 288, 432, 576})); // (3 · 2²)²
}

TEST(OnnxImporter, keepsSizesOfItsNodesApart) {
    OnnxImporter const mine("Count", kDomain, {1, 3}, [](OnnxModelNode const& node, INetworkDefinition& network) {
        ITensor* const places = network.addNonZero(node.input(0))->getOutput(0); // [2, the number of nonzero elements]
        return Outputs{network.addShape(*places)->getOutput(0)};
    });
    OnnxModel model = modelOf("Count");
    nodeOf(model).set_output(0, "a");
    model.input("z", {1, 4});
    model.node("Count", {"z"}, {"b"}, "other").set_domain(kDomain);
    model.node("Sub", {"a", "b"}, {"y"});
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    Running r(*p.build());
    Floats x{1, 0, 1, 1};
    Floats z{0, 0, 1, 0};
    std::vector<int64_t> y(2);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("z", z.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(y, (std::vector<int64_t>{0, 2}));
}

// ---- errors

std::string const kWhere = "mine (Bad, domain com.example, opset 2, node 0): its importer, of trt_test: ";

/// The parser's error for a node with this importer.
std::string errorOf(ImportOnnxNode import, std::function<void(OnnxModel&)> const& change = {}) {
    OnnxImporter const mine("Bad", kDomain, {1, 3}, std::move(import));
    OnnxModel model = modelOf("Bad");
    if (change) change(model);
    Parsing p;
    std::string const error = p.errorOf(model);
    EXPECT_EQ(p.parser->getNbErrors(), 1);
    EXPECT_EQ(p.messages.errors.size(), 1U) << "it is said once";
    return error.starts_with(kWhere) ? error.substr(kWhere.size()) : error;
}

TEST(OnnxImporter, saysWhatItsFunctionThrows) {
    EXPECT_EQ(errorOf([](OnnxModelNode const&, INetworkDefinition&) -> Outputs {
                  throw std::invalid_argument("alpha must be positive");
              }),
              "alpha must be positive");
    EXPECT_EQ(errorOf([](OnnxModelNode const&, INetworkDefinition&) -> Outputs { throw 3; }),
              "threw something that is not a std::exception");
}

TEST(OnnxImporter, saysWhichCallOfItsNetworkFailed) {
    EXPECT_TRUE(errorOf([](OnnxModelNode const& node, INetworkDefinition& network) {
                    network.addConstant(test::dims({2}), Weights{nvinfer1::DataType::kFLOAT, nullptr, 0});
                    return Outputs{&node.input(0)};
                }).starts_with("addConstant: "));
    EXPECT_TRUE(errorOf([](OnnxModelNode const& node, INetworkDefinition& network) -> Outputs {
                    network.addConstant(test::dims({2}), Weights{nvinfer1::DataType::kFLOAT, nullptr, 0});
                    return {&node.input(7)};
                }).starts_with("input 7 is missing (before that: addConstant: "));
}

TEST(OnnxImporter, saysWhichOutputIsWrong) {
    Defining other;
    ITensor* const foreign = &other.input("foreign", {1, 4});
    using Node = OnnxModelNode const&;
    using Net = INetworkDefinition&;
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.input(0), Outputs{nullptr}; }),
              "the tensor that it returned for output 0 is null");
    EXPECT_EQ(errorOf([&](Node node, Net) { return (void)node.input(0), Outputs{foreign}; }),
              "output 0: tensor foreign belongs to another network");
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.input(0), Outputs{}; }),
              "it returned 0 tensors; the node has 1 outputs");
    EXPECT_EQ(errorOf([](Node node, Net) {
                  return Outputs{&node.input(0), &node.input(0)};
              }),
              "it returned 2 tensors; the node has 1 outputs");
    EXPECT_EQ(
        errorOf([](Node node, Net network) {
            network.markOutput(node.input(0));
            return Outputs{&node.input(0)};
        }),
        "it added inputs or marked outputs; expected layers only, between the given inputs and the returned outputs");
    EXPECT_EQ(
        errorOf([](Node node, Net network) {
            (void)node.input(0);
            return Outputs{network.addInput("z", nvinfer1::DataType::kFLOAT, test::dims({1}))};
        }),
        "it added inputs or marked outputs; expected layers only, between the given inputs and the returned outputs");
}

TEST(OnnxImporter, saysWhatItAskedForAndIsNotThere) {
    using Node = OnnxModelNode const&;
    using Net = INetworkDefinition&;
    auto const withAlpha = [](OnnxModel& model) { test::setInt(nodeOf(model), "alpha", 3); };
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.real("alpha", 1), Outputs{&node.input(0)}; }, withAlpha),
              "attribute 'alpha' is of type INT; expected FLOAT");
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.real("beta"), Outputs{&node.input(0)}; }, withAlpha),
              "attribute 'beta' is missing");
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.tensor("value"), Outputs{&node.input(0)}; }),
              "attribute 'value' is missing");
    EXPECT_EQ(errorOf([](Node node, Net) { return (void)node.constant(0), Outputs{&node.input(0)}; }),
              "input 0 ('x') depends on run-time inputs; it must be an initializer, or computed from "
              "constants");
    EXPECT_EQ(errorOf([](Node node, Net) { return Outputs{&node.input(1)}; }), "input 1 is missing");
    EXPECT_EQ(errorOf([](Node node, Net) { return Outputs{&node.input(-1)}; }), "there is no input -1");
    EXPECT_EQ(errorOf([](Node node, Net) {
                  node.setElementType(node.input(0), kUInt4);
                  return Outputs{&node.input(0)};
              }),
              "setElementType: tensor x is float32; ONNX's element type 21 is stored in uint8");
}

TEST(OnnxImporter, mustReadOrIgnoreWhatTheNodeHas) {
    auto const identity = [](OnnxModelNode const& node, INetworkDefinition& network) {
        return Outputs{network.addIdentity(node.input(0))->getOutput(0)};
    };
    std::string const where = "mine (Bad, domain com.example, opset 2, node 0): ";
    EXPECT_EQ(errorOf(identity, [](OnnxModel& model) { test::setInt(nodeOf(model), "alpha", 3); }),
              where + "attribute 'alpha' = 3 is not an attribute of Bad of opset 2, so its effect would be lost; read "
                      "it in the importer, or ignore() it if it has no effect");
    EXPECT_EQ(errorOf(identity,
                      [](OnnxModel& model) {
                          model.floats("w", {1}, {1});
                          nodeOf(model).add_input("w");
                      }),
              where + "input 1 ('w') is not an input of Bad of opset 2");
}

TEST(OnnxImporter, mustFinishItsLayers) {
    EXPECT_EQ(errorOf([](OnnxModelNode const& node, INetworkDefinition& network) {
                  ILoop* const loop = network.addLoop();
                  IRecurrenceLayer* const state = loop->addRecurrence(node.input(0));
                  return Outputs{loop->addLoopOutput(*state->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0)};
              }),
              "ControlEdge_0 (ControlEdge): its loop never ends; add a trip limit (addTripLimit)");
}

std::string errorOfRegistering(std::string const& op, std::string const& domain, OnnxOpsets opsets,
                               ImportOnnxNode import = times(1)) {
    try {
        OnnxImporter const mine(op, domain, opsets, std::move(import));
    } catch (std::runtime_error const& error) {
        return error.what();
    }
    return "no error";
}

TEST(OnnxImporter, isRegisteredForSomethingAndOnce) {
    EXPECT_EQ(errorOfRegistering("", kDomain, {1, 2}),
              "an importer of ONNX nodes without an operator; expected its name, such as \"MyOp\"");
    EXPECT_EQ(
        errorOfRegistering("Mine", kDomain, {3, 2}),
        "importer of Mine, domain com.example: is for opsets 3 to 2; expected a first one of 1 or more, and a last "
        "one that is not smaller");
    EXPECT_EQ(errorOfRegistering("Mine", "", {0, 2}),
              "importer of Mine: is for opsets 0 to 2; expected a first one of 1 or more, and a last one that is not "
              "smaller");
    OnnxImporter const mine("Mine", kDomain, {2, 4}, times(1));
    EXPECT_EQ(errorOfRegistering("Mine", kDomain, {4, 5}),
              "importer of Mine, domain com.example, opsets 4 to 5: trt_test has registered one for opsets 2 to 4 "
              "already; register one of them, or use different opsets");
    EXPECT_EQ(errorOfRegistering("Mine", kDomain, {5, 6}), "no error");
    EXPECT_EQ(errorOfRegistering("Mine", "com.other", {2, 4}), "no error");
    EXPECT_EQ(errorOfRegistering("Mine", kDomain, {6, 7}, {}),
              "importer of Mine, domain com.example: its function is null");
    EXPECT_STREQ(tenonAddOnnxImporter(nullptr), "tenonAddOnnxImporter: importer is null");
    TenonOnnxImporter const without{"Mine", nullptr, 1, 1, nullptr, nullptr};
    EXPECT_STREQ(tenonAddOnnxImporter(&without), "importer of Mine: its function is null");
}

TEST(OnnxImporter, isRemovedWhenItsCallHasEnded) {
    std::promise<void> isCalled;
    std::atomic<bool> hasEnded = false;
    std::optional<OnnxImporter> mine;
    mine.emplace("Times", kDomain, OnnxOpsets(1, 3), [&](OnnxModelNode const& node, INetworkDefinition& network) {
        isCalled.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        hasEnded = true;
        return Outputs{network.addIdentity(node.input(0))->getOutput(0)};
    });
    std::thread reading([] {
        Parsing p;
        EXPECT_TRUE(p.parse(modelOf("Times"))) << p.messages.lastError();
    });
    isCalled.get_future().wait();
    mine.reset();
    EXPECT_TRUE(hasEnded);
    reading.join();
}

TEST(OnnxImporter, mayBeRegisteredWhileOthersRead) {
    std::atomic<bool> ends = false;
    std::thread registering([&] {
        while (!ends) OnnxImporter const mine("Times", kDomain, {1, 3}, times(2));
    });
    for (int i = 0; i < 200; ++i) {
        Parsing p;
        bool const isRead = p.parse(modelOf("Times")); // else it did not exist
        EXPECT_TRUE(isRead || p.messages.lastError().find("there is no importer") != std::string::npos)
            << p.messages.lastError();
    }
    ends = true;
    registering.join();
}

} // namespace
} // namespace tenon
