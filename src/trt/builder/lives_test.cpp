// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of the API that are used when the one that made them is gone. Run with an address sanitizer to see that none
// of them reads what was freed.

#include "NvOnnxParser.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/onnx_model.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Messages;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// y = relu x [N,3], N from 1 to 4
struct OpenRows : Defining {
    OpenRows() {
        output(network->addActivation(input("x", {-1, 3}), ActivationType::kRELU)->getOutput(0));
        range("x", {1, 3}, {2, 3}, {4, 3});
    }
};

TEST(Lives, aContextOutlivesRuntimeAndEngine) {
    Running r(*OpenRows().build());
    r.runtime.reset();
    r.engine.reset();
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{2, 3}));
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{2, 3}));
    EXPECT_EQ(r.run({-1, 2, -3, 4, -5, 6}, 6), (Floats{0, 2, 0, 4, 0, 6}));
    EXPECT_FALSE(r.context->setInputShape("nobody", Dims2{2, 3}));
    EXPECT_EQ(r.messages.lastError(), "setInputShape: no input or output is called nobody; there are: x, y");
    EXPECT_EQ(r.context->getMaxOutputSize("y"), 24);
    EXPECT_TRUE(r.context->setOptimizationProfileAsync(0, nullptr));
    EXPECT_FALSE(r.context->setTensorDebugState("y", true));
    r.context->setDeviceMemory(nullptr);
    r.context->setTemporaryStorageAllocator(nullptr);
    EXPECT_TRUE(r.context->setNvtxVerbosity(ProfilingVerbosity::kNONE));
}

TEST(Lives, aContextStillShowsItsEngine) {
    Running r(*OpenRows().build());
    std::unique_ptr<IExecutionContext> const second(r.engine->createExecutionContext());
    EXPECT_EQ(&r.context->getEngine(), r.engine.get());
    r.engine.reset();
    ICudaEngine const& engine = r.context->getEngine();
    EXPECT_EQ(&engine, &r.context->getEngine());
    EXPECT_EQ(engine.getNbIOTensors(), 2);
    EXPECT_EQ(extents(engine.getTensorShape("x")), (Extents{-1, 3}));
    r.context.reset();
    EXPECT_STREQ(second->getEngine().getIOTensorName(1), "y");
    std::unique_ptr<IHostMemory> const saved(second->getEngine().serialize());
    ASSERT_NE(saved, nullptr);
}

TEST(Lives, anEngineOutlivesItsRuntimeAndFile) {
    Running r(*OpenRows().build());
    r.context.reset();
    r.runtime.reset();
    std::unique_ptr<IHostMemory> const saved(r.engine->serialize());
    ASSERT_NE(saved, nullptr);
    std::unique_ptr<IExecutionContext> const context(r.engine->createExecutionContext());
    EXPECT_NE(context, nullptr);
    r.engine.reset();
    Running again(*saved);
    EXPECT_EQ(extents(again.engine->getTensorShape("y")), (Extents{-1, 3}));
}

TEST(Lives, anInspectorOutlivesContextAndEngine) {
    OpenRows d;
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    Running r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    r.context->setInputShape("x", Dims2{4, 3});
    std::vector<float> x(12);
    r.context->setTensorAddress("x", x.data());
    EXPECT_TRUE(inspector->setExecutionContext(r.context.get()));
    EXPECT_EQ(inspector->getExecutionContext(), r.context.get());
    std::string const before = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
    EXPECT_NE(before.find("4,3"), std::string::npos) << before;
    r.context.reset();
    r.engine.reset();
    r.runtime.reset();
    EXPECT_EQ(inspector->getExecutionContext(), nullptr);
    std::string const after = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
    EXPECT_NE(after.find("-1,3"), std::string::npos) << after;
}

TEST(Lives, aNetworkAndItsConfigurationOutliveTheirBuilder) {
    OpenRows d;
    IBuilder& builder = d.network->getBuilder();
    EXPECT_EQ(&builder, d.builder.get());
    d.builder.reset();
    EXPECT_EQ(d.config->getNbOptimizationProfiles(), 1);
    IBuilder& another = d.network->getBuilder();
    EXPECT_EQ(&another, &d.network->getBuilder());
    EXPECT_EQ(another.getLogger(), &d.messages);
    d.network->setName("still there");
    std::unique_ptr<IHostMemory> const file(another.buildSerializedNetwork(*d.network, *d.config));
    ASSERT_NE(file, nullptr) << d.messages.lastError();
    Running r(*file);
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{1, 3}));
    EXPECT_EQ(r.run({-1, 2, -3}, 3), (Floats{0, 2, 0}));
}

TEST(Lives, aProfileIsBuiltWithByAnotherBuilder) {
    OpenRows d;
    d.builder.reset(createInferBuilder(d.messages));
    Running r(*d.build());
    EXPECT_EQ(extents(r.engine->getProfileShape("x", 0, OptProfileSelector::kMAX)), (Extents{4, 3}));
}

TEST(Lives, aConfigurationKeepsTheTimesOfItsCache) {
    OpenRows d;
    std::unique_ptr<ITimingCache> cache(d.config->createTimingCache(nullptr, 0));
    ASSERT_TRUE(d.config->setTimingCache(*cache, false));
    EXPECT_EQ(d.config->getTimingCache(), cache.get());
    cache.reset();
    d.build();
    ITimingCache const* kept = d.config->getTimingCache();
    ASSERT_NE(kept, nullptr);
    std::unique_ptr<IHostMemory> const saved(kept->serialize());
    EXPECT_NE(saved, nullptr);
    d.builder.reset();
    d.config->reset();
    EXPECT_EQ(d.config->getTimingCache(), nullptr);
}

struct Parsing : Defining {
    Parsing() {
        test::OnnxModel model;
        model.input("x", {1, 4});
        model.floats("weights", {4}, {10, 20, 30, 40});
        model.node("Add", {"x", "weights"}, {"y"}, "add");
        model.output("y");
        bytes = model.bytes();
    }
    bool parse(nvonnxparser::IParser& parser) const { return parser.parse(bytes.data(), bytes.size()); }
    std::string bytes;
};

TEST(Lives, aNetworkOutlivesItsParserAndModel) {
    Parsing d;
    std::unique_ptr<nvonnxparser::IParser> parser(nvonnxparser::createParser(*d.network, d.messages));
    ASSERT_TRUE(d.parse(*parser));
    parser.reset();
    d.bytes.assign(d.bytes.size(), '\0');
    Running r(*d.build());
    EXPECT_EQ(r.run({-1, 2, -3, 4}, 4), (Floats{9, 22, 27, 44}));
}

TEST(Lives, aParserOutlivesNetworkAndBuilder) {
    Parsing d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    d.builder.reset();
    ASSERT_TRUE(d.parse(*parser)) << d.messages.lastError();
    EXPECT_NE(parser->getLayerOutputTensor("add", 0), nullptr);
    d.network.reset();
    EXPECT_FALSE(d.parse(*parser));
    EXPECT_EQ(
        d.messages.lastError(),
        "IParser::parse: the network that the parser writes to has been deleted; create a parser for another network");
    ASSERT_EQ(parser->getNbErrors(), 1);
    EXPECT_EQ(parser->getLayerOutputTensor("add", 0), nullptr);
    EXPECT_FALSE(parser->supportsModelV2(d.bytes.data(), d.bytes.size(), nullptr));
}

TEST(Lives, aParserIsMadeForANetworkWithoutBuilder) {
    Parsing d;
    d.builder.reset();
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    EXPECT_TRUE(d.parse(*parser)) << d.messages.lastError();
}

/// y = x, whose destructor releases a resource of the context that it was attached to.
class Borrower final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    static inline int returned = 0;

    ~Borrower() override {
        if (context_ && context_->getGpuAllocator()->deallocate(memory_)) ++returned;
    }
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) override {
        if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
        if (type == PluginCapabilityType::kRUNTIME) return static_cast<IPluginV3OneRuntime*>(this);
        return static_cast<IPluginV3OneCore*>(this);
    }
    IPluginV3* clone() override { return std::make_unique<Borrower>().release(); }
    char const* getPluginName() const override { return "Borrower"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) override {
        return 0;
    }
    int32_t getOutputDataTypes(nvinfer1::DataType* outputs, int32_t, nvinfer1::DataType const* inputs,
                               int32_t) const override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder&) override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) override {
        return inOut[pos].desc.type == nvinfer1::DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t getNbOutputs() const override { return 1; }
    int32_t setTactic(int32_t) override { return 0; }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) override { return 0; }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) override {
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext* context) override {
        auto attached = std::make_unique<Borrower>();
        attached->context_ = context;
        attached->memory_ = context->getGpuAllocator()->allocate(64, 64, 0);
        return attached.release();
    }
    PluginFieldCollection const* getFieldsToSerialize() override { return &none_; }

private:
    PluginFieldCollection none_{};
    IPluginResourceContext* context_ = nullptr;
    void* memory_ = nullptr;
};

class BorrowerCreator final : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase) override {
        return std::make_unique<Borrower>().release();
    }
    PluginFieldCollection const* getFieldNames() override { return &none_; }
    char const* getPluginName() const override { return "Borrower"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

private:
    PluginFieldCollection none_{};
};

TEST(Lives, whatAPluginIsLentOutlivesIt) {
    test::Registered<BorrowerCreator> creator;
    Defining d;
    ITensor* x = &d.input("x", {4});
    Borrower plugin;
    d.output(d.network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0));
    Running r(*d.build());
    Borrower::returned = 0;
    r.engine.reset();
    r.context.reset();
    EXPECT_EQ(Borrower::returned, 1);
}

} // namespace
} // namespace tenon
