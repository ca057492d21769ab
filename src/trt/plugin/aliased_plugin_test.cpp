// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that write an output in the memory of an input.

#include "support/api.h"
#include "support/api_plugins.h"
#include "support/edit_plan.h"

#include <algorithm>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::Running;

using Floats = std::vector<float>;

struct Seen {
    int asked = 0;        // calls of getAliasedInput
    bool inPlace = false; // at the last run
    int outputs = 1;
    int32_t aliasOfFirst = 0;
    int32_t aliasOfSecond = -1;
    int64_t extraExtent = 0; // the difference in length of outputs and input
};

Seen& seen() {
    static Seen seen;
    return seen;
}

/// x += 1 if the output is in the input's memory, else y = x + 1; a second output is a copy of the first.
class Increment final : public IPluginV3,
                        public IPluginV3OneCore,
                        public IPluginV3OneBuildV2,
                        public IPluginV3OneRuntime {
public:
    explicit Increment(bool canBuild) : canBuild_(canBuild) {}

    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return canBuild_ ? static_cast<IPluginV3OneBuildV2*>(this) : nullptr;
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() override { return new Increment(*this); }
    char const* getPluginName() const override { return "Increment"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

    int32_t getNbOutputs() const override { return seen().outputs; }
    int32_t getAliasedInput(int32_t outputIndex) override {
        ++seen().asked;
        return outputIndex == 0 ? seen().aliasOfFirst : seen().aliasOfSecond;
    }
    int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                               int32_t) const override {
        std::fill_n(outputTypes, nbOutputs, inputTypes[0]);
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs,
                            int32_t nbOutputs, IExprBuilder& exprBuilder) override {
        std::fill_n(outputs, nbOutputs, inputs[0]);
        auto const& extra = *exprBuilder.constant(seen().extraExtent);
        outputs[0].d[0] = exprBuilder.operation(DimensionOperation::kSUM, *inputs[0].d[0], extra);
        return 0;
    }
    bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t, int32_t) override {
        return inOut[pos].desc.type == DataType::kFLOAT && inOut[pos].desc.format == TensorFormat::kLINEAR;
    }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*, int32_t) override {
        return 0;
    }

    int32_t setTactic(int32_t) override { return 0; }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) override { return 0; }
    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) override {
        seen().inPlace = inputs[0] == outputs[0];
        auto const* x = static_cast<float const*>(inputs[0]);
        for (int64_t i = 0; i < inputDesc[0].dims.d[0]; ++i) static_cast<float*>(outputs[0])[i] = x[i] + 1;
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() override { return &noFields_; }

private:
    bool canBuild_;
    PluginFieldCollection noFields_{};
};

class IncrementCreator final : public IPluginCreatorV3One {
public:
    IPluginV3* createPlugin(char const*, PluginFieldCollection const*, TensorRTPhase phase) override {
        return new Increment(phase == TensorRTPhase::kBUILD);
    }
    PluginFieldCollection const* getFieldNames() override { return &noFields_; }
    char const* getPluginName() const override { return "Increment"; }
    char const* getPluginVersion() const override { return "1"; }
    char const* getPluginNamespace() const override { return ""; }

private:
    PluginFieldCollection noFields_{};
};

constexpr int64_t kCount = 1024;

struct AliasedPlugin : testing::Test, Defining {
    AliasedPlugin() {
        seen() = {};
        config->setPreviewFeature(PreviewFeature::kALIASED_PLUGIN_IO_10_03, true);
    }

    ITensor* increment(ITensor* x) {
        Increment plugin(true);
        IPluginV3Layer* layer = network->addPluginV3(&x, 1, nullptr, 0, plugin);
        EXPECT_NE(layer, nullptr) << messages.lastError();
        layer->setName("increment");
        return layer->getOutput(0);
    }
    ITensor* relu(ITensor* x) { return network->addActivation(*x, ActivationType::kRELU)->getOutput(0); }
    /// The result of three iterations, each of which computes `next` of the value.
    template <class Next> ITensor* sumOfTrips(ITensor* first, Next const& next) {
        static int32_t const three = 3;
        ILoop* const loop = network->addLoop();
        loop->addTripLimit(*network->addConstant(Dims{0, {}}, Weights{DataType::kINT32, &three, 1})->getOutput(0),
                           TripLimit::kCOUNT);
        IRecurrenceLayer* const value = loop->addRecurrence(*first);
        value->setInput(1, *next(value->getOutput(0)));
        return loop->addLoopOutput(*value->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0);
    }
    static constexpr ElementWiseOperation kSum = ElementWiseOperation::kSUM;
    std::string buildError() {
        EXPECT_EQ(builder->buildSerializedNetwork(*network, *config), nullptr);
        return messages.lastError();
    }
    Floats ramp() const {
        Floats x(kCount);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 100;
        return x;
    }
    static float positive(float x) { return std::max(x, 0.F); }

    Registered<IncrementCreator> creator;
};

TEST_F(AliasedPlugin, writesInTheMemoryOfItsInput) {
    output(relu(increment(relu(&input("x", {kCount})))));
    Running r(*build());
    Floats const x = ramp();
    Floats const y = r.run(x, kCount);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], positive(x[i]) + 1);
    EXPECT_TRUE(seen().inPlace);
}

/// Of an engine that is built again as for another device.
void expectInPlaceElsewhere(AliasedPlugin& test, float expected) {
    auto const file = test.build();
    auto const other = test::editPlan({static_cast<std::byte const*>(file->data()), file->size()},
                                      [](auto& json) { json["device"] = "cuda"; });
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(test.messages));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(other.data(), other.size()));
    ASSERT_NE(engine, nullptr) << test.messages.lastError();
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    Floats x = test.ramp();
    Floats y(x.size());
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y[200], expected);
    EXPECT_TRUE(seen().inPlace);
}

TEST_F(AliasedPlugin, writesThereWhenItsEngineIsBuiltAgainForAnotherDevice) {
    output(relu(increment(relu(&input("x", {kCount})))));
    expectInPlaceElsewhere(*this, 100 + 1);
}

TEST_F(AliasedPlugin, writesThereInALoopToo) {
    ITensor* const x = relu(&input("x", {kCount}));
    output(sumOfTrips(x, [&](ITensor* total) { return increment(relu(total)); }));
    Running r(*build());
    EXPECT_EQ(r.run(ramp(), kCount)[200], 100 + 3);
    EXPECT_TRUE(seen().inPlace);
    expectInPlaceElsewhere(*this, 100 + 3);
}

TEST_F(AliasedPlugin, leavesWhatTheNextTripReads) {
    ITensor* const x = relu(&input("x", {kCount}));
    output(sumOfTrips(
        x, [&](ITensor* total) { return network->addElementWise(*total, *increment(x), kSum)->getOutput(0); }));
    Running r(*build());
    for (int round = 0; round < 2; ++round) EXPECT_EQ(r.run(ramp(), kCount)[200], 100 + 3 * (100 + 1));
}

TEST_F(AliasedPlugin, leavesWhatALoopBeginsWith) {
    ITensor* const x = relu(&input("x", {kCount}));
    ITensor* const last = sumOfTrips(x, [&](ITensor* total) { return increment(total); });
    output(network->addElementWise(*last, *x, kSum)->getOutput(0));
    Running r(*build());
    for (int round = 0; round < 2; ++round) EXPECT_EQ(r.run(ramp(), kCount)[200], 100 + 3 + 100);
}

TEST_F(AliasedPlugin, takesNoMemoryOfItsOwn) {
    ITensor* sum = increment(relu(&input("x", {kCount})));
    output(network->addReduce(*sum, ReduceOperation::kSUM, 1, false)->getOutput(0));
    EXPECT_EQ(Running(*build()).engine->getDeviceMemorySizeV2(), kCount * 4 + 64); // one tensor and the sum
    config->setPreviewFeature(PreviewFeature::kALIASED_PLUGIN_IO_10_03, false);
    EXPECT_EQ(Running(*build()).engine->getDeviceMemorySizeV2(), 2 * kCount * 4); // two, and the sum in the first
}

TEST_F(AliasedPlugin, isAskedOnlyWhereThePreviewFeatureIsOn) {
    config->setPreviewFeature(PreviewFeature::kALIASED_PLUGIN_IO_10_03, false);
    output(relu(increment(relu(&input("x", {kCount})))));
    Running r(*build());
    EXPECT_EQ(r.run(ramp(), kCount)[200], 101);
    EXPECT_EQ(seen().asked, 0);
    EXPECT_FALSE(seen().inPlace);
}

TEST_F(AliasedPlugin, leavesTheProgramsInputAsItIs) {
    output(increment(&input("x", {kCount})));
    Running r(*build());
    Floats x = ramp();
    Floats y(kCount);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    for (int round = 0; round < 2; ++round) {
        r.run();
        EXPECT_TRUE(seen().inPlace);
        EXPECT_EQ(x, ramp());
        for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 1);
    }
}

TEST_F(AliasedPlugin, writesInTheProgramsMemoryWhereItIsGivenForBoth) {
    output(increment(&input("x", {kCount})));
    Running r(*build());
    Floats x = ramp();
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", x.data());
    r.run();
    r.run();
    EXPECT_EQ(x[200], 102); // twice
}

TEST_F(AliasedPlugin, leavesWhatOthersReadAfterwards) {
    ITensor* r = relu(&input("x", {kCount}));
    ITensor* p = increment(r);
    ITensor* q = increment(p);
    ITensor* sum = network->addElementWise(*p, *q, ElementWiseOperation::kPROD)->getOutput(0);
    output(network->addElementWise(*sum, *r, ElementWiseOperation::kSUM)->getOutput(0));
    Running running(*build());
    Floats const x = ramp();
    Floats const y = running.run(x, kCount);
    for (size_t i = 0; i < x.size(); ++i) {
        float const v = positive(x[i]);
        ASSERT_EQ(y[i], (v + 1) * (v + 2) + v) << i;
    }
}

TEST_F(AliasedPlugin, leavesConstants) {
    Floats const values = ramp();
    ITensor* constant = network->addConstant(Dims{1, {kCount}}, test::weights(values))->getOutput(0);
    ITensor& x = input("x", {kCount});
    output(network->addElementWise(*increment(constant), x, ElementWiseOperation::kSUM)->getOutput(0));
    Running r(*build());
    for (int round = 0; round < 2; ++round) EXPECT_EQ(r.run(ramp(), kCount)[200], 201);
}

TEST_F(AliasedPlugin, isRefusedWhereTheInputDoesNotExist) {
    seen().aliasOfFirst = 3;
    output(increment(&input("x", {kCount})));
    EXPECT_EQ(buildError(),
              "buildSerializedNetwork: increment (Plugin): output 0 is an alias of input 3; the plugin has 1 inputs");
}

TEST_F(AliasedPlugin, isRefusedWhereTwoOutputsWantOneInput) {
    seen().outputs = 2;
    seen().aliasOfSecond = 0;
    output(increment(&input("x", {kCount})));
    EXPECT_EQ(buildError(),
              "buildSerializedNetwork: increment (Plugin): two outputs are aliases of input 0; expected one");
}

TEST_F(AliasedPlugin, isRefusedWhereTheOutputIsOfAnotherSize) {
    seen().extraExtent = 1;
    output(increment(&input("x", {kCount})));
    EXPECT_EQ(buildError(), "buildSerializedNetwork: increment (Plugin): output 0 is float32 [1025] and is an alias of "
                            "input 0, which is float32 [1024]; expected the same type and shape");
}

} // namespace
} // namespace tenon
