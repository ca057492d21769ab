// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxParser.h"
#include "base/text.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/onnx_model.h"
#include "tenon/plugin.h"

#include <algorithm>
#include <random>
#include <set>

namespace tenon {
namespace {

using namespace nvinfer1;
using nvonnxparser::IParser;
using test::Defining;
using test::OnnxModel;
using test::Running;

using Floats = std::vector<float>;

struct Parsing : Defining {
    std::unique_ptr<IParser> parser{nvonnxparser::createParser(*network, messages)};

    bool parse(OnnxModel const& model) {
        std::string const bytes = model.bytes();
        return parser->parse(bytes.data(), bytes.size());
    }
};

OnnxModel reluModel() {
    OnnxModel model;
    model.input("x", {1, 4});
    model.node("Relu", {"x"}, {"y"}, "relu");
    model.output("y");
    return model;
}

TEST(OnnxParser, readsAModelIntoTheNetwork) {
    Parsing p;
    ASSERT_TRUE(p.parse(reluModel())) << p.messages.lastError();
    EXPECT_EQ(p.parser->getNbErrors(), 0);
    ASSERT_EQ(p.network->getNbLayers(), 1);
    EXPECT_STREQ(p.network->getLayer(0)->getName(), "relu");
    ASSERT_EQ(p.network->getLayer(0)->getType(), LayerType::kACTIVATION);
    EXPECT_EQ(static_cast<IActivationLayer*>(p.network->getLayer(0))->getActivationType(), ActivationType::kRELU);
    EXPECT_STREQ(p.network->getInput(0)->getName(), "x");
    EXPECT_STREQ(p.network->getOutput(0)->getName(), "y");
    EXPECT_EQ(p.parser->getLayerOutputTensor("relu", 0), p.network->getOutput(0));
    EXPECT_EQ(p.parser->getLayerOutputTensor("relu", 1), nullptr);
    Running r(*p.build());
    EXPECT_EQ(r.run({-1, 2, -3, 4}, 4), (Floats{0, 2, 0, 4}));
}

TEST(OnnxParser, findsAnOutputThatIsConvertedOrNoMoreThere) {
    Parsing p;
    ASSERT_TRUE(p.parse(reluModel())) << p.messages.lastError();
    ILayer* const relu = p.network->getLayer(0);
    ILayer* const spare = p.network->addIdentity(*p.network->getInput(0));
    relu->setOutputType(0, nvinfer1::DataType::kHALF);
    ASSERT_NE(p.parser->getLayerOutputTensor("relu", 0), nullptr);
    EXPECT_EQ(p.parser->getLayerOutputTensor("relu", 0), relu->getOutput(0));
    p.network->unmarkOutput(*relu->getOutput(0));
    p.network->markOutput(*spare->getOutput(0));
    p.network->removeTensor(*relu->getOutput(0));
    EXPECT_EQ(p.parser->getLayerOutputTensor("relu", 0), nullptr);
}

TEST(OnnxParser, namesTheOpenDimensionsOfInputs) {
    OnnxModel model;
    model.input("x", {"batch", 4, ""});
    model.node("Relu", {"x"}, {"y"}, "relu");
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    ITensor const& x = *p.network->getInput(0);
    EXPECT_STREQ(x.getDimensionName(0), "batch");
    EXPECT_EQ(x.getDimensionName(1), nullptr);
    EXPECT_EQ(x.getDimensionName(2), nullptr);
    EXPECT_EQ(x.getDimensionName(7), nullptr);
}

TEST(OnnxParser, findsAPluginForAnOperatorWithoutImporter) {
    test::Registered<test::TimesV2Creator> creator;
    OnnxModel model;
    model.input("x", {1, 4});
    auto& node = model.node("TimesV2", {"x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(2.5F);
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    auto* layer = static_cast<IPluginV2Layer*>(p.network->getLayer(0));
    ASSERT_EQ(layer->getType(), LayerType::kPLUGIN_V2);
    EXPECT_EQ(static_cast<test::TimesV2&>(layer->getPlugin()).factor(), 2.5F);
    Running r(*p.build());
    EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{2.5F, 5, 7.5F, 10}));
}

TEST(OnnxParser, givesAPluginNoInputThatIsLeftOut) {
    test::Registered<test::TimesV2Creator> creator;
    OnnxModel model;
    model.input("x", {1, 4});
    auto& node = model.node("TimesV2", {"", "x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(2.5F);
    model.output("y");
    Parsing p;
    EXPECT_FALSE(p.parse(model));
    EXPECT_TRUE(p.messages.lastError().ends_with(
        R"(plugin TimesV2, version 1, namespace "": input 0 is left out; a plugin needs a tensor for each input)"))
        << p.messages.lastError();
}

TEST(OnnxParser, givesAPluginTheFieldsThatItsCreatorNamesOnly) {
    class Counting final : public test::TimesV2Creator {
    public:
        int32_t given = -1;
        IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fields) override {
            given = fields->nbFields;
            return TimesV2Creator::createPlugin(name, fields);
        }
    };
    test::Registered<Counting> registered;
    OnnxModel model;
    model.input("x", {1, 4});
    auto& node = model.node("TimesV2", {"x"}, {"y"}, "times");
    test::attribute(node, "exporter_version", proto::AttributeProto::INT).set_i(7);
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(2.5F);
    model.output("y");
    Parsing p;
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    EXPECT_EQ(registered.creator.given, 1);
    ASSERT_EQ(p.messages.warnings.size(), 1U);
    EXPECT_NE(p.messages.warnings[0].find("times (TimesV2): the plugin is not given the attribute 'exporter_version' = "
                                          "7, which is not one of the fields that its creator names: factor"),
              std::string::npos)
        << p.messages.warnings[0];
}

/// x → TimesV2 → y, of the plugin's creator in a namespace.
OnnxModel timesModel(std::string const& nameSpace) {
    OnnxModel model;
    model.input("x", {1, 2});
    auto& node = model.node("TimesV2", {"x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(3);
    test::setString(node, "plugin_namespace", nameSpace);
    model.output("y");
    return model;
}

TEST(OnnxParser, tellsAPluginTheNamespaceThatItsCreatorIsIn) {
    class Forgetful final : public test::TimesV2Creator {
        IPluginV2* createPlugin(char const* name, PluginFieldCollection const* fields) override {
            return withoutNamespace(TimesV2Creator::createPlugin(name, fields));
        }
        IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) override {
            return withoutNamespace(TimesV2Creator::deserializePlugin(name, data, length));
        }
        static IPluginV2* withoutNamespace(IPluginV2* plugin) { return plugin->setPluginNamespace(""), plugin; }
    };
    Forgetful creator;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, "mine"));
    {
        Parsing p;
        ASSERT_TRUE(p.parse(timesModel("mine"))) << p.messages.lastError();
        auto* layer = static_cast<IPluginV2Layer*>(p.network->getLayer(0));
        EXPECT_STREQ(layer->getPlugin().getPluginNamespace(), "mine");
        Running r(*p.build()); // read again: found under that name
        EXPECT_EQ(r.run({1, 2}, 2), (Floats{3, 6}));
    }
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(creator));
}

TEST(OnnxParser, namesTheCreatorThatMakesNothing) {
    class MakesNothing final : public test::TimesV2Creator {
        IPluginV2* createPlugin(char const*, PluginFieldCollection const*) override { return nullptr; }
    };
    test::Registered<MakesNothing> creator;
    Parsing p;
    EXPECT_FALSE(p.parse(timesModel("")));
    ASSERT_EQ(p.parser->getNbErrors(), 1);
    EXPECT_NE(std::string(p.parser->getError(0)->desc())
                  .find("plugin TimesV2, version 1, namespace \"\": createPlugin of its creator returned null for the "
                        "fields [factor float32[1]]"),
              std::string::npos)
        << p.parser->getError(0)->desc();
}

TEST(OnnxParser, readsAModelByItsOlderName) {
    Parsing p;
    std::string const bytes = reluModel().bytes();
    ASSERT_TRUE(p.parser->parseWithWeightDescriptors(bytes.data(), bytes.size())) << p.messages.lastError();
    Running r(*p.build());
    EXPECT_EQ(r.run({-1, 2, -3, 4}, 4), (Floats{0, 2, 0, 4}));
}

TEST(OnnxParser, deserializesANodeThatHoldsAPluginsBytes) {
    test::Registered<test::TimesV2Creator> creator;
    OnnxModel model;
    model.input("x", {1, 2});
    auto& node = model.node("TRT_PluginV2", {"x"}, {"y"}, "times");
    float const factor = 4;
    test::setString(node, "name", "TimesV2");
    test::setString(node, "version", "1");
    test::setString(node, "namespace", "");
    test::setString(node, "data", std::string(reinterpret_cast<char const*>(&factor), sizeof factor));
    model.output("y");
    Parsing p;
    test::notes() = {};
    ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
    std::unique_ptr<nvinfer1::ICudaEngine> const engine(p.builder->buildEngineWithConfig(*p.network, *p.config));
    EXPECT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_EQ(test::notes().count("deserializePlugin"), 1); // by the parser, for builder and engine
    Running r(*p.build());
    EXPECT_EQ(r.run({1, 2}, 2), (Floats{4, 8}));
}

TEST(OnnxParser, saysWhichPluginIsNotRegistered) {
    OnnxModel model;
    model.input("x", {1, 4});
    auto& node = model.node("NoSuchPlugin_TRT", {"x"}, {"y"}, "special");
    test::setString(node, "plugin_version", "3");
    model.output("y");
    Parsing p;
    EXPECT_FALSE(p.parse(model));
    ASSERT_EQ(p.parser->getNbErrors(), 1);
    nvonnxparser::IParserError const& error = *p.parser->getError(0);
    EXPECT_EQ(error.code(), nvonnxparser::ErrorCode::kUNSUPPORTED_NODE);
    EXPECT_EQ(error.node(), 0);
    EXPECT_STREQ(error.nodeName(), "special");
    EXPECT_STREQ(error.nodeOperator(), "NoSuchPlugin_TRT");
    EXPECT_NE(std::string(error.desc()).find("plugin NoSuchPlugin_TRT, version 3"), std::string::npos) << error.desc();
    EXPECT_GT(error.line(), 0);
    EXPECT_EQ(p.parser->getError(1), nullptr);
    EXPECT_FALSE(p.messages.errors.empty()); // logged too
    p.parser->clearErrors();
    EXPECT_EQ(p.parser->getNbErrors(), 0);
}

/// x → TimesV2 → y, of a node without the attributes plugin_version and plugin_namespace.
OnnxModel plainTimesModel() {
    OnnxModel model;
    model.input("x", {1, 2});
    auto& node = model.node("TimesV2", {"x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(3);
    model.output("y");
    return model;
}

TEST(OnnxParser, takesTheOnlyPluginOfANameInWhateverNamespaceItIs) {
    test::TimesV2Creator creator;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, "mine"));
    {
        Parsing p;
        ASSERT_TRUE(p.parse(plainTimesModel())) << p.messages.lastError();
        EXPECT_EQ(p.messages.infos.back(), "times (TimesV2): has no attribute 'plugin_namespace'; plugin TimesV2, "
                                           "version 1, namespace \"mine\", the only one registered, is used");
        Running r(*p.build());
        EXPECT_EQ(r.run({1, 2}, 2), (Floats{3, 6}));
    }
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(creator));
}

TEST(OnnxParser, saysWhichPluginsOfTheNameThereAre) {
    test::TimesV2Creator one;
    test::TimesV2Creator other;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(one, "mine"));
    ASSERT_TRUE(getPluginRegistry()->registerCreator(other, "yours"));
    Parsing p;
    EXPECT_FALSE(p.parse(plainTimesModel()));
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(one));
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(other));
    std::string const said = p.parser->getError(0)->desc();
    EXPECT_NE(
        said.find("Registered with that name: version 1, namespace \"mine\" (trt_test); version 1, namespace "
                  "\"yours\" (trt_test). Its attribute 'plugin_namespace' is missing, which means \"\"; set it to "
                  "\"mine\" or \"yours\"."),
        std::string::npos)
        << said;
}

TEST(OnnxParser, saysHowThisProgramLoadsAPlugin) {
    auto const said = [] {
        Parsing p;
        EXPECT_FALSE(p.parse(plainTimesModel()));
        return std::string(p.parser->getError(0)->desc());
    };
    EXPECT_NE(said().find("Load the library that has it (loadLibrary) first."), std::string::npos) << said();
    tenon::setPluginLoading("--plugins LIB.so");
    EXPECT_NE(said().find("Load the library that has it (--plugins LIB.so) first."), std::string::npos) << said();
    tenon::setPluginLoading(nullptr);
    EXPECT_NE(said().find("(loadLibrary)"), std::string::npos) << said();
}

nvonnxparser::ErrorCode codeOf(OnnxModel const& model) {
    Parsing p;
    EXPECT_FALSE(p.parse(model));
    return p.parser->getNbErrors() == 1 ? p.parser->getError(0)->code() : nvonnxparser::ErrorCode::kSUCCESS;
}

TEST(OnnxParser, tellsUnsupportedAttributesAndTypesApart) {
    using enum nvonnxparser::ErrorCode;
    OnnxModel attribute = reluModel();
    test::setInt(*attribute.proto.mutable_graph()->mutable_node(0), "slope", 1);
    EXPECT_EQ(codeOf(attribute), kUNSUPPORTED_NODE_ATTR);
    auto const of = [](std::string const& op, std::vector<std::string> const& inputs, int type) {
        OnnxModel model;
        model.input("x", {2, 3}, type);
        model.node(op, inputs, {"y"}, "node");
        model.output("y");
        return model;
    };
    EXPECT_EQ(codeOf(of("Softmax", {"x"}, proto::TensorProto::INT32)), kUNSUPPORTED_NODE_DATATYPE);
    EXPECT_EQ(codeOf(of("Gather", {"x", "x"}, proto::TensorProto::FLOAT)), kUNSUPPORTED_NODE_DATATYPE);
    EXPECT_EQ(codeOf(of("MatMul", {"x", "x"}, proto::TensorProto::FLOAT)), kINVALID_NODE); // of these shapes
    OnnxModel text = of("Cast", {"x"}, proto::TensorProto::FLOAT);
    test::setInt(*text.proto.mutable_graph()->mutable_node(0), "to", proto::TensorProto::STRING);
    EXPECT_EQ(codeOf(text), kUNSUPPORTED_NODE_DATATYPE);
}

TEST(OnnxParser, refusesWhatIsNoModel) {
    Parsing p;
    EXPECT_FALSE(p.parser->parse("not a model at all", 18));
    ASSERT_EQ(p.parser->getNbErrors(), 1);
    EXPECT_EQ(p.parser->getError(0)->code(), nvonnxparser::ErrorCode::kMODEL_DESERIALIZE_FAILED);
    EXPECT_FALSE(p.parser->parse(nullptr, 3));
    ASSERT_EQ(p.parser->getNbErrors(), 1);
    EXPECT_STREQ(p.parser->getError(0)->desc(), "the model is null");
    EXPECT_FALSE(p.parser->parseFromFile("/no/such/model.onnx", 0));
    ASSERT_EQ(p.parser->getNbErrors(), 1);
    EXPECT_EQ(p.messages.lastError(), "IParser::parseFromFile: /no/such/model.onnx: there is no such file");
    EXPECT_FALSE(p.parser->parseFromFile("", 0));
    EXPECT_EQ(p.messages.lastError(), "IParser::parseFromFile: the model: the path of the file is empty");
    EXPECT_FALSE(p.parser->parseFromFile(nullptr, 0));
    EXPECT_EQ(p.messages.lastError(), "IParser::parseFromFile: onnxModelFile is null");
    EXPECT_EQ(p.parser->getNbErrors(), 1);
}

TEST(OnnxParser, tellsWhichPartsOfAModelAreSupported) {
    OnnxModel model = reluModel();
    model.node("NoSuchOperator", {"y"}, {"z"}, "middle");
    model.node("Relu", {"z"}, {"w"}, "last");
    std::string const bytes = model.bytes();
    Parsing p;
    EXPECT_FALSE(p.parser->supportsModelV2(bytes.data(), bytes.size()));
    EXPECT_EQ(p.network->getNbLayers(), 0); // the network is unchanged
    ASSERT_EQ(p.parser->getNbSubgraphs(), 2);
    EXPECT_TRUE(p.parser->isSubgraphSupported(0));
    EXPECT_FALSE(p.parser->isSubgraphSupported(1)); // its input is not known
    EXPECT_FALSE(p.parser->isSubgraphSupported(2)); // there is none
    int64_t length = 0;
    int64_t const* nodes = p.parser->getSubgraphNodes(0, length);
    ASSERT_EQ(length, 1);
    EXPECT_EQ(nodes[0], 0);
    EXPECT_EQ(p.parser->getSubgraphNodes(2, length), nullptr);
    EXPECT_TRUE(p.parser->supportsOperator("Relu"));
    EXPECT_FALSE(p.parser->supportsOperator("NoSuchOperator"));
}

// The effect of kENABLE_PLUGIN_OVERRIDE: onnx_importer_test.cpp.
TEST(OnnxParser, hasFlagsOfWhichMostChangeNothing) {
    using Flag = nvonnxparser::OnnxParserFlag;
    OnnxModel model;
    model.input("x", {1, 2, 2});
    model.floats("scale", {2}, {1, 1});
    model.floats("bias", {2}, {0, 0});
    model.node("InstanceNormalization", {"x", "scale", "bias"}, {"y"}, "norm");
    model.output("y");
    for (Flag const flag : {Flag::kNATIVE_INSTANCENORM, Flag::kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA,
                            Flag::kREPORT_CAPABILITY_DLA, Flag::kADJUST_FOR_DLA}) {
        for (bool const isSet : {false, true}) {
            Parsing p;
            EXPECT_EQ(p.parser->getFlags(), 1U << static_cast<uint32_t>(Flag::kNATIVE_INSTANCENORM));
            isSet ? p.parser->setFlag(flag) : p.parser->clearFlag(flag);
            EXPECT_EQ(p.parser->getFlag(flag), isSet);
            ASSERT_TRUE(p.parse(model)) << p.messages.lastError();
            for (int32_t i = 0; i < p.network->getNbLayers(); ++i)
                EXPECT_NE(p.network->getLayer(i)->getType(), LayerType::kPLUGIN_V3); // it is layers in any case
            Floats const y = Running(*p.build()).run({1, 3, 2, 6}, 4);               // (x - mean) / deviation
            for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(y[j], j % 2 == 0 ? -1 : 1, 1e-4) << j;
        }
    }
    Parsing p;
    p.parser->setFlags(0);
    EXPECT_EQ(p.parser->getFlags(), 0U);
}

/// A random model of floating-point tensors [2,3] and booleans, some of whose nodes cannot be read. A Dropout must know
/// its boolean, which another part may compute.
class RandomModel {
public:
    explicit RandomModel(unsigned seed) : random_(seed) {
        reals_.push_back("x");
        model.input("x", {2, 3});
        booleans_.push_back("no");
        model.initializer("no", {}, proto::TensorProto::BOOL).add_int32_data(0);
        for (int i = 0; i < 15; ++i) addNode(text("t", i));
        model.output("t14");
    }
    bool canFail(size_t node) const { return model.proto.graph().node(static_cast<int>(node)).op_type() == "Unknown"; }

    /// These nodes as a model, written with ONNX's own classes.
    OnnxModel partOf(std::vector<size_t> const& nodes) const {
        OnnxModel part;
        std::set<std::string> known{"no", ""};
        *part.proto.mutable_graph()->add_initializer() = model.proto.graph().initializer(0);
        for (size_t const index : nodes) {
            auto const& node = model.proto.graph().node(static_cast<int>(index));
            for (std::string const& input : node.input()) {
                bool const isReal = std::ranges::count(reals_, input) > 0;
                if (known.insert(input).second)
                    isReal ? part.input(input, {2, 3}) : part.input(input, {}, proto::TensorProto::BOOL);
            }
            *part.proto.mutable_graph()->add_node() = node;
            known.insert(node.output(0));
            part.output(node.output(0));
        }
        return part;
    }

    OnnxModel model;

private:
    size_t below(size_t count) { return random_() % count; }
    std::string oneOf(std::vector<std::string> const& names) { return names[below(names.size())]; }

    void addNode(std::string const& name) {
        bool const isReal = below(3) > 0 || name == "t14";
        bool const fails = below(5) == 0;
        if (isReal && !fails && below(2) == 0)
            model.node("Dropout", {oneOf(reals_), "", oneOf(booleans_)}, {name});
        else if (isReal)
            model.node(fails ? "Unknown" : "Add", {oneOf(reals_), oneOf(reals_)}, {name});
        else
            model.node(fails ? "Unknown" : "Not", {oneOf(booleans_)}, {name});
        if (!isReal && !fails) model.node("Not", {name}, {name + "_"}); // so that all are false
        auto const describe = [&](std::string const& output) {
            auto& value = *model.proto.mutable_graph()->add_value_info();
            value.set_name(output);
            auto& type = *value.mutable_type()->mutable_tensor_type();
            type.set_elem_type(isReal ? proto::TensorProto::FLOAT : proto::TensorProto::BOOL);
            type.mutable_shape();
            for (int const extent : {2, 3}) {
                if (isReal) type.mutable_shape()->add_dim()->set_dim_value(extent);
            }
        };
        describe(name);
        bool const isTwice = !isReal && !fails;
        if (isTwice) describe(name + "_");
        (isReal ? reals_ : booleans_).push_back(isTwice ? name + "_" : name);
    }

    std::mt19937 random_;
    std::vector<std::string> reals_;
    std::vector<std::string> booleans_;
};

TEST(OnnxParser, makesPartsOfRandomModelsThatBuild) {
    size_t built = 0;
    size_t cut = 0; // nodes that can be read in the whole model only
    for (unsigned seed = 0; seed < 40; ++seed) {
        RandomModel const random(seed);
        std::string const bytes = random.model.bytes();
        Parsing p;
        SubGraphCollection_t parts;
        p.parser->supportsModel(bytes.data(), bytes.size(), parts);
        std::set<size_t> nodes;
        for (auto const& [part, isSupported] : parts) {
            EXPECT_TRUE(isSupported) << "seed " << seed;
            for (size_t const node : part)
                EXPECT_TRUE(nodes.insert(node).second && !random.canFail(node)) << "seed " << seed << ", node " << node;
            Parsing own;
            ASSERT_TRUE(own.parse(random.partOf(part))) << "seed " << seed << ": " << own.messages.lastError();
            EXPECT_NE(own.build(), nullptr) << "seed " << seed;
            ++built;
        }
        for (size_t i = 0; i < static_cast<size_t>(random.model.proto.graph().node_size()); ++i)
            cut += nodes.contains(i) || random.canFail(i) ? 0U : 1U;
    }
    EXPECT_GT(built, 40U);
    EXPECT_GT(cut, 0U);
}

TEST(OnnxParser, takesWeightsApartFromTheModel) {
    OnnxModel model;
    model.input("x", {1, 2});
    model.floats("b", {2}, {0, 0});
    model.node("Add", {"x", "b"}, {"y"}, "add");
    model.output("y");
    std::string const bytes = model.bytes();
    Floats const b{10, 20};
    Parsing p;
    EXPECT_FALSE(p.parser->parseModelProto());
    EXPECT_FALSE(p.parser->loadInitializer("b", b.data(), b.size() * sizeof(float)));
    EXPECT_EQ(p.messages.lastError(), "loadInitializer: no model was loaded; call loadModelProto first");
    ASSERT_TRUE(p.parser->loadModelProto(bytes.data(), bytes.size()));
    EXPECT_FALSE(p.parser->loadInitializer("B", b.data(), b.size() * sizeof(float)));
    EXPECT_EQ(p.messages.lastError(), "loadInitializer: the model has no initializer 'B'; did you mean 'b'?");
    ASSERT_TRUE(p.parser->loadInitializer("b", b.data(), b.size() * sizeof(float)));
    ASSERT_TRUE(p.parser->parseModelProto()) << p.messages.lastError();
    Running r(*p.build());
    EXPECT_EQ(r.run({1, 2}, 2), (Floats{11, 22}));
}

} // namespace
} // namespace tenon
