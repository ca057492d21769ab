// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins of the classes IPluginV3Quick…, as the Python API makes them.

#include "NvOnnxParser.h"
#include "support/api.h"
#include "support/onnx_model.h"
#include "support/quick_plugins.h"

#include <algorithm>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::floatsIn;
using test::notes;
using test::quickNotes;
using test::QuickTimes;
using test::QuickTimesCreator;
using test::Registered;
using test::Running;

using Calls = std::vector<std::string>;
using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

struct PluginV3Quick : testing::Test {
    PluginV3Quick() { quickNotes().combinations = floatsIn({TensorFormat::kLINEAR}, 2); }

    /// y = 3 x.
    struct Network : Defining {
        explicit Network(std::vector<int64_t> const& x = {-1, 2}) {
            QuickTimes plugin(3);
            ITensor* inputs[]{&input("x", x)};
            layer = network->addPluginV3(inputs, 1, nullptr, 0, plugin);
            if (layer == nullptr) return;
            layer->setName("times");
            output(layer->getOutput(0));
            if (x[0] < 0) range("x", {1, 2}, {2, 2}, {4, 2});
        }
        IPluginV3Layer* layer = nullptr;
    };

    static size_t placeOf(std::string const& call, size_t from = 0) {
        auto const& calls = notes().calls;
        return static_cast<size_t>(std::find(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end(), call) -
                                   calls.begin());
    }

    static std::string errorOf(Network& d) {
        EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
        return d.messages.lastError();
    }

    Registered<QuickTimesCreator> creator;
};

TEST_F(PluginV3Quick, computesInAnEngineThatIsLoadedAgain) {
    {
        Network d;
        ASSERT_NE(d.layer, nullptr) << d.messages.lastError();
        EXPECT_EQ(d.layer->getType(), LayerType::kPLUGIN_V3);
        auto const file = d.build();
        Running r(*file);
        EXPECT_EQ(quickNotes().phase, TensorRTPhase::kRUNTIME);
        EXPECT_EQ(quickNotes().request, QuickPluginCreationRequest::kSTRICT_JIT); // the engine contains no kernel
        ASSERT_TRUE(r.context->setInputShape("x", Dims2{2, 2}));
        EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
        ASSERT_TRUE(r.context->setInputShape("x", Dims2{1, 2}));
        EXPECT_EQ(r.run({1, 2}, 2), (Floats{3, 6}));
        EXPECT_EQ(extents(notes().enqueuedDims.back()), (Extents{1, 2}));
        EXPECT_TRUE(r.messages.errors.empty()) << r.messages.lastError();
    }
    EXPECT_EQ(notes().alive, 0);
}

TEST_F(PluginV3Quick, isAskedForTypesBeforeShapesAndForCombinationsBeforeItIsConfigured) {
    Network d;
    ASSERT_NE(d.layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(notes().calls, (Calls{"getOutputDataTypes", "getOutputShapes"}));
    EXPECT_EQ(quickNotes().ranks, (std::vector<int32_t>{2}));
    d.build();
    size_t const counted = placeOf("getNbSupportedFormatCombinations");
    size_t const listed = placeOf("getSupportedFormatCombinations", counted);
    size_t const configured = placeOf("configurePlugin", listed);
    size_t const told = placeOf("setTactic", configured);
    EXPECT_LT(placeOf("getFieldsToSerialize", told), notes().calls.size());
    EXPECT_EQ(notes().tactic, 0);
}

TEST_F(PluginV3Quick, isGivenTheStridesOfItsTensors) {
    Network d({2, 2});
    Running r(*d.build());
    r.run({1, 2, 3, 4}, 4);
    ASSERT_EQ(quickNotes().strides.size(), 2U);
    for (auto const& strides : quickNotes().strides) EXPECT_EQ(extents(strides), (Extents{2, 1}));
}

TEST_F(PluginV3Quick, worksInAFormatThatOnlyItWants) {
    quickNotes().combinations = floatsIn({TensorFormat::kHWC}, 2);
    Network d({1, 3, 2, 2});
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12),
              (Floats{3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36}));
    for (auto const& strides : quickNotes().strides) EXPECT_EQ(extents(strides), (Extents{12, 1, 6, 3}));
}

TEST_F(PluginV3Quick, runsInItsFastestTactic) {
    quickNotes().tactics = {4, 9};
    for (int32_t const slow : {4, 9}) {
        notes().slowTactic = slow;
        Running r(*Network({2, 2}).build());
        EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
        EXPECT_EQ(notes().tactic, slow == 4 ? 9 : 4);
    }
}

TEST_F(PluginV3Quick, tellsTheInspectorOfItself) {
    Network d({2, 2});
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    Running r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    std::string const layer = inspector->getLayerInformation(0, LayerInformationFormat::kONELINE);
    EXPECT_NE(layer.find("LayerType: PluginV3, "), std::string::npos) << layer;
    EXPECT_NE(layer.find("PluginMetadata: three times"), std::string::npos) << layer;
}

TEST_F(PluginV3Quick, isMadeForAModelInTheKindThatTheNetworkPrefers) {
    test::OnnxModel model;
    model.input("x", {2, 2});
    auto& node = model.node("quick_times", {"x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(3);
    test::setString(node, "plugin_namespace", "tests");
    model.output("y");
    std::string const bytes = model.bytes();
    using Flag = NetworkDefinitionCreationFlag;
    for (auto const& [flags, request] : {std::pair(0U, QuickPluginCreationRequest::kUNKNOWN),
                                         std::pair(1U << static_cast<uint32_t>(Flag::kPREFER_AOT_PYTHON_PLUGINS),
                                                   QuickPluginCreationRequest::kPREFER_AOT),
                                         std::pair(1U << static_cast<uint32_t>(Flag::kPREFER_JIT_PYTHON_PLUGINS),
                                                   QuickPluginCreationRequest::kPREFER_JIT)}) {
        Defining d;
        d.network.reset(d.builder->createNetworkV2(flags));
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        ASSERT_TRUE(parser->parse(bytes.data(), bytes.size())) << d.messages.lastError();
        EXPECT_EQ(quickNotes().phase, TensorRTPhase::kBUILD);
        EXPECT_EQ(quickNotes().request, request);
        Running r(*d.build());
        EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
    }
}

/// In the form of creators written for API 10.6 to 10.8.
class CreatorOf106 final : public IPluginCreatorV3Quick {
public:
    IPluginV3* createPlugin(AsciiChar const* name, AsciiChar const* nspace, PluginFieldCollection const* fc,
                            TensorRTPhase phase) noexcept override {
        notes().calls.push_back(std::string(name) + " " + nspace + " " + std::to_string(fc->nbFields));
        return creator_.createPlugin(name, nspace, fc, phase, QuickPluginCreationRequest::kUNKNOWN);
    }
    PluginFieldCollection const* getFieldNames() noexcept override { return creator_.getFieldNames(); }
    AsciiChar const* getPluginName() const noexcept override { return creator_.getPluginName(); }
    AsciiChar const* getPluginVersion() const noexcept override { return creator_.getPluginVersion(); }
    AsciiChar const* getPluginNamespace() const noexcept override { return creator_.getPluginNamespace(); }

private:
    QuickTimesCreator creator_;
};

TEST(PluginV3QuickOf10_6, isMadeByItsCreator) {
    Registered<CreatorOf106> const creator;
    quickNotes().combinations = floatsIn({TensorFormat::kLINEAR}, 2);
    test::OnnxModel model;
    model.input("x", {2, 2});
    auto& node = model.node("quick_times", {"x"}, {"y"}, "times");
    test::attribute(node, "factor", proto::AttributeProto::FLOAT).set_f(3);
    test::setString(node, "plugin_namespace", "tests");
    model.output("y");
    std::string const bytes = model.bytes();
    Defining d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    ASSERT_TRUE(parser->parse(bytes.data(), bytes.size())) << d.messages.lastError();
    EXPECT_EQ(notes().count("times tests 1"), 1);
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
    EXPECT_EQ(notes().count("times tests 1"), 2); // the engine's, at the runtime
}

/// Overrides neither form.
class CreatorOfNothing final : public IPluginCreatorV3Quick {
public:
    PluginFieldCollection const* getFieldNames() override { return nullptr; }
    AsciiChar const* getPluginName() const override { return "nothing"; }
    AsciiChar const* getPluginVersion() const override { return "1"; }
    AsciiChar const* getPluginNamespace() const override { return ""; }
};

TEST_F(PluginV3Quick, ofACreatorThatMakesNoneIsAnError) {
    Registered<CreatorOfNothing> const creator;
    test::OnnxModel model;
    model.input("x", {2, 2});
    model.node("nothing", {"x"}, {"y"}, "no");
    model.output("y");
    std::string const bytes = model.bytes();
    Defining d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    EXPECT_FALSE(parser->parse(bytes.data(), bytes.size()));
    EXPECT_NE(d.messages.lastError().find("createPlugin of its creator returned null"), std::string::npos)
        << d.messages.lastError();
}

TEST_F(PluginV3Quick, mayWriteIntoTheMemoryOfItsInput) {
    quickNotes().inPlace = true;
    Network d({2, 2});
    d.config->setPreviewFeature(PreviewFeature::kALIASED_PLUGIN_IO_10_03, true);
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
}

TEST_F(PluginV3Quick, withoutACombinationThatIsPossibleHereIsNamedWithWhatItSaid) {
    quickNotes().combinations = floatsIn({TensorFormat::kHWC, TensorFormat::kCHW32}, 2);
    Network d({2, 2});
    EXPECT_EQ(errorOf(d), "buildSerializedNetwork: times (Plugin): the plugin accepts no combination of types and "
                          "formats. Queries and results:\n  combination 0: tensor 0 as float32 nhwc, which is not "
                          "possible here\n  combination 1: tensor 0 as float32 nchw32c, which is not possible here\n");
    quickNotes().combinations.clear();
    EXPECT_NE(errorOf(d).find("\n  getNbSupportedFormatCombinations returned 0\n"), std::string::npos)
        << d.messages.lastError();
}

TEST_F(PluginV3Quick, thatFailsIsNamed) {
    std::string const who = "buildSerializedNetwork: times (Plugin): plugin quick_times, version 1, namespace "
                            "\"tests\": ";
    Network d({2, 2});
    for (auto const& [method, arguments] :
         {std::pair("getSupportedFormatCombinations", "1 inputs, 1 outputs, 1 "
                                                      "combinations"),
          std::pair("configurePlugin", "1 inputs, 1 outputs"), std::pair("setTactic", "0")}) {
        notes().failing = method;
        EXPECT_EQ(errorOf(d), who + method + "(" + arguments + ") returned -7; expected 0");
    }
    notes().failing = "getNbSupportedFormatCombinations";
    EXPECT_EQ(errorOf(d), who + "getNbSupportedFormatCombinations returned -7; expected 0 to 10000");
    notes().failing.clear();
    Running r(*d.build());
    notes().failing = "enqueue";
    Floats x{1, 2, 3, 4}, y(4);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(),
              "enqueueV3: times (Plugin): plugin quick_times, version 1, namespace \"tests\": enqueue(inputs [2,2] "
              "float32 linear; outputs [2,2] float32 linear) returned -7; expected 0");
}

TEST_F(PluginV3Quick, thatGivesAKernelForGpusIsRefusedOnTheCpu) {
    Defining d;
    test::AddTacticAot plugin("code", {});
    ITensor* inputs[]{&d.input("x", {2, 2})};
    IPluginV3Layer* const layer = d.network->addPluginV3(inputs, 1, nullptr, 0, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    layer->setName("add");
    d.output(layer->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "buildSerializedNetwork: add (Plugin): plugin add_tactic, version 1, namespace \"tests\": has a kernel "
              "compiled for GPUs (IPluginV3QuickAOTBuild), but this engine's plugins run on the CPU; build it with "
              "TENON_DEVICE=cuda, or create the plugin with QuickPluginCreationRequest::kSTRICT_JIT");
    EXPECT_EQ(notes().count("getCapabilityInterface(kRUNTIME)"), 0); // it has none
}

} // namespace
} // namespace tenon
