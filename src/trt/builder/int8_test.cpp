// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors with a range, where int8 is allowed: what plugins and bindings see of them.

#include "support/api.h"
#include "support/api_plugins.h"

#include <tenon/plugin.h>

#include <limits>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::Running;

using Floats = std::vector<float>;
using Bytes = std::vector<int8_t>;

struct Edge {
    DataType type;
    float scale;
};

/// y = x element by element, as integers: accepts int8 only.
class CopyInt8 : public test::TimesV2 {
public:
    CopyInt8() : TimesV2(1) {}
    char const* getPluginType() const override { return "CopyInt8"; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<CopyInt8>().release(); }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) override {
        return inOut[pos].type == DataType::kINT8 && inOut[pos].format == format;
    }
    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const* out,
                         int32_t) override {
        configured = {{in->desc.type, in->desc.scale}, {out->desc.type, out->desc.scale}};
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const* out, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) override {
        enqueued = {{in->type, in->scale}, {out->type, out->scale}};
        int64_t count = 1;
        for (int32_t i = 0; i < in->dims.nbDims; ++i)
            count *= i == 1 && format == TensorFormat::kCHW4 ? (in->dims.d[i] + 3) / 4 * 4 : in->dims.d[i];
        std::copy_n(static_cast<int8_t const*>(inputs[0]), count, static_cast<int8_t*>(outputs[0]));
        return 0;
    }

    static inline TensorFormat format = TensorFormat::kLINEAR;
    static inline std::vector<Edge> configured;
    static inline std::vector<Edge> enqueued;
};

class CopyInt8Creator final : public test::TimesV2Creator {
public:
    char const* getPluginName() const override { return "CopyInt8"; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<CopyInt8>().release();
    }
};

/// x [1,3,1,2] → the plugin → y, with ranges that are 127 times the scales.
struct Int8Network : Defining {
    Int8Network(float scaleOfX, float scaleOfY) {
        config->setFlag(BuilderFlag::kINT8);
        ITensor* x = &input("x", {1, 3, 1, 2});
        if (scaleOfX != 0) x->setDynamicRange(-127 * scaleOfX, 127 * scaleOfX);
        CopyInt8 plugin;
        ITensor* y = network->addPluginV2(&x, 1, plugin)->getOutput(0);
        if (scaleOfY != 0) y->setDynamicRange(-127 * scaleOfY, 127 * scaleOfY);
        output(y);
    }
};

struct Int8 : testing::Test {
    void SetUp() override {
        CopyInt8::format = TensorFormat::kLINEAR;
        CopyInt8::configured.clear();
        CopyInt8::enqueued.clear();
    }
    Registered<CopyInt8Creator> creator;
};

void expectEdges(std::vector<Edge> const& edges, float in, float out) {
    ASSERT_EQ(edges.size(), 2U);
    EXPECT_EQ(edges[0].type, DataType::kINT8);
    EXPECT_EQ(edges[1].type, DataType::kINT8);
    EXPECT_EQ(edges[0].scale, in);
    EXPECT_EQ(edges[1].scale, out);
}

// q = clamp(round half to even(x / 0.5), -128, 127), y = 0.25 q
TEST_F(Int8, isBroughtToAPluginAndBackByTheScalesOfItsTensors) {
    for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kCHW4}) {
        CopyInt8::format = format;
        Running r(*Int8Network(0.5F, 0.25F).build());
        EXPECT_EQ(r.run({0, 1, -1.25F, 0.75F, 63.9F, -100}, 6), (Floats{0, 0.5F, -0.5F, 0.5F, 31.75F, -32}));
        expectEdges(CopyInt8::configured, 0.5F, 0.25F);
        expectEdges(CopyInt8::enqueued, 0.5F, 0.25F);
    }
}

/// A range so small that a 127th of it is subnormal is valid: multiples of the least normal number.
TEST_F(Int8, hasNoScalesThatAreSubnormal) {
    Int8Network d(1, 1);
    for (ITensor* const tensor : {d.network->getInput(0), d.network->getOutput(0)})
        EXPECT_TRUE(tensor->setDynamicRange(-1e-45F, 1e-45F));
    float const least = std::numeric_limits<float>::min();
    Running r(*d.build());
    EXPECT_EQ(r.run({0, 1, -1, 2 * least, -3 * least, 0}, 6),
              (Floats{0, 127 * least, -128 * least, 2 * least, -3 * least, 0}));
    expectEdges(CopyInt8::configured, least, least);
}

TEST_F(Int8, needsARangeOfEachTensor) {
    Int8Network d(0.5F, 0);
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_EQ(file, nullptr);
    EXPECT_NE(d.messages.lastError().find("accepts no combination of types and formats"), std::string::npos);
    EXPECT_NE(d.messages.lastError().find("tensor 0 as int8*0.5 linear cpu: yes\n  tensor 1 as float32 linear cpu: no"),
              std::string::npos)
        << d.messages.lastError();
}

TEST_F(Int8, needsTheFlag) {
    Int8Network d(0.5F, 0.5F);
    d.config->clearFlag(BuilderFlag::kINT8);
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_EQ(file, nullptr);
}

/// x [1,3,1,2] → Quantize → Dequantize → the plugin → Quantize → Dequantize → y, and no flag.
struct ExplicitNetwork : Defining {
    template <class Plugin> ExplicitNetwork(Plugin&& plugin, float scaleOfX, float scaleOfY) {
        ITensor* x = &quantized(input("x", {1, 3, 1, 2}), scaleOfX);
        output(&quantized(*network->addPluginV2(&x, 1, plugin)->getOutput(0), scaleOfY));
    }
    ITensor& quantized(ITensor& x, float scale) {
        scales.push_back(std::make_unique<float>(scale));
        ITensor& s = *network->addConstant(test::dims({}), {DataType::kFLOAT, scales.back().get(), 1})->getOutput(0);
        ITensor& q = *network->addQuantize(x, s, DataType::kINT8)->getOutput(0);
        return *network->addDequantize(q, s, DataType::kFLOAT)->getOutput(0);
    }
    std::vector<std::unique_ptr<float>> scales;
};

// q = clamp(round half to even(x / 0.5), -128, 127), y = 0.25 q
TEST_F(Int8, isGivenToPluginsBetweenDequantizeAndQuantize) {
    Running r(*ExplicitNetwork(CopyInt8(), 0.5F, 0.25F).build());
    EXPECT_EQ(r.run({0, 1, -1.25F, 0.75F, 63.9F, -100}, 6), (Floats{0, 0.5F, -0.5F, 0.5F, 31.75F, -32}));
    expectEdges(CopyInt8::configured, 0.5F, 0.25F);
    expectEdges(CopyInt8::enqueued, 0.5F, 0.25F);
}

// q = clamp(round half to even(x / 0.5), -128, 127), y = 0.25 clamp(round half to even(3 · 0.5 q / 0.25), -128, 127)
TEST_F(Int8, isDequantizedForPluginsThatRefuseIt) {
    Registered<test::TimesV2Creator> const times;
    Running r(*ExplicitNetwork(test::TimesV2(3), 0.5F, 0.25F).build());
    EXPECT_EQ(r.run({0, 1, -1.25F, 0.75F, 3.9F, -100}, 6), (Floats{0, 3, -3, 3, 12, -32}));
}

// A range would make y = 2 · 0.5 q one of -4 to 4 in steps of 4 / 127.
TEST_F(Int8, isWhatLayersSayWhereThereAreSomeAndNotWhatRangesSay) {
    ExplicitNetwork d(CopyInt8(), 0.5F, 0.25F);
    ITensor& real = *d.network->getOutput(0);
    d.network->unmarkOutput(real);
    real.setName("real");
    ITensor* const sum = d.network->addElementWise(real, real, ElementWiseOperation::kSUM)->getOutput(0);
    sum->setDynamicRange(-4, 4);
    ITensor* const y = d.network->addActivation(*sum, ActivationType::kRELU)->getOutput(0);
    y->setDynamicRange(-4, 4);
    d.output(d.network->addElementWise(*y, *y, ElementWiseOperation::kPROD)->getOutput(0));
    d.config->setFlag(BuilderFlag::kINT8);
    Running r(*d.build());
    EXPECT_EQ(r.run({0, 1, -1.25F, 0.75F, 63.9F, 20}, 6), (Floats{0, 1, 0, 1, 63.5F * 63.5F, 400}));
    EXPECT_EQ(d.messages.warnings,
              std::vector<std::string>{"ITensor::setDynamicRange has no effect for a network with quantize and "
                                       "dequantize layers: these layers define what is quantized"});
}

TEST_F(Int8, isAllowedWithoutAnyRangeWhereLayersSayWhatIsQuantized) {
    ExplicitNetwork d(CopyInt8(), 0.5F, 0.25F);
    d.config->setFlag(BuilderFlag::kINT8);
    d.build();
    EXPECT_EQ(d.messages.warnings, std::vector<std::string>());
}

/// The same, with floating-point tensors, whatever type they are stored in.
class CopyReals final : public CopyInt8 {
public:
    explicit CopyReals(NameRealTensor names = &nameOf) : names_(names) { tenon::setPluginReals(this, names); }
    ~CopyReals() override { tenon::setPluginReals(this, nullptr); }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<CopyReals>(names_).release(); }

private:
    static char const* nameOf(void*, int32_t tensor, int32_t) { return tensor == 0 ? "x" : "y"; }

    NameRealTensor names_;
};

// q = clamp(round half to even(x / 0.5), -128, 127), y = 0.25 q
TEST_F(Int8, hasTheScalesOfQuantizeLayersForPluginsOfRealNumbers) {
    Defining d;
    auto const scale = [&](float value) -> ITensor& { return d.floats({}, {value}); };
    ITensor* const x = d.network->addQuantize(d.input("x", {1, 3, 1, 2}), scale(0.5F), DataType::kINT8)->getOutput(0);
    CopyReals plugin;
    ITensor* const y = d.network->addPluginV2(&x, 1, plugin)->getOutput(0);
    EXPECT_EQ(y->getType(), DataType::kINT8);
    d.output(d.network->addDequantize(*y, scale(0.25F), DataType::kFLOAT)->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({0, 1, -1.25F, 0.75F, 63.9F, -100}, 6), (Floats{0, 0.5F, -0.5F, 0.5F, 31.75F, -32}));
    expectEdges(CopyInt8::configured, 0.5F, 0.25F);
    expectEdges(CopyInt8::enqueued, 0.5F, 0.25F);
}

// Readers of y would take floating-point values for integers.
TEST_F(Int8, ofAnOutputThatIsNotNamedIsNoOtherTypeBetweenRealNumbers) {
    Defining d;
    ITensor& scale = d.floats({}, {0.5F});
    ITensor* const x = d.network->addQuantize(d.input("x", {2}), scale, DataType::kINT8)->getOutput(0);
    CopyReals plugin([](void*, int32_t tensor, int32_t) -> char const* { return tensor == 0 ? "x" : nullptr; });
    ILayer* const layer = d.network->addPluginV2(&x, 1, plugin);
    d.output(d.network->addDequantize(*layer->getOutput(0), scale, DataType::kFLOAT)->getOutput(0));
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_EQ(file, nullptr);
    EXPECT_NE(d.messages.lastError().find("is int8 if the inputs are, and float32 for floating-point inputs; expected "
                                          "it among the names passed to setPluginReals(), or the same type for both"),
              std::string::npos)
        << d.messages.lastError();
}

TEST_F(Int8, isTheTypeOfBindingsThatAskForIt) {
    Int8Network d(0.5F, 0.25F);
    d.network->getInput(0)->setType(DataType::kINT8);
    d.network->getOutput(0)->setType(DataType::kINT8);
    EXPECT_EQ(d.network->getInput(0)->getType(), DataType::kINT8);
    EXPECT_EQ(d.network->getOutput(0)->getType(), DataType::kINT8);
    Running r(*d.build());
    EXPECT_EQ(r.engine->getTensorDataType("x"), DataType::kINT8);
    EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kINT8);
    Bytes x{1, -2, 3, 127, -128, 0};
    Bytes y(6);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(y, x);
}

// An input that is added as int8 and has a range: value = 0.5 q.
TEST_F(Int8, inputsWithARangeAreRealNumbers) {
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    ITensor& x = d.input("x", {1, 4}, DataType::kINT8);
    x.setDynamicRange(-63.5F, 63.5F);
    EXPECT_EQ(x.getType(), DataType::kINT8);
    d.output(d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0));
    Running r(*d.build());
    Bytes q{1, -2, 3, 127};
    Floats y(4);
    r.context->setTensorAddress("x", q.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(y, (Floats{-0.5F, 1, -1.5F, -63.5F}));
}

TEST_F(Int8, bindingsNeedARange) {
    Int8Network d(0.5F, 0.5F);
    d.network->getInput(0)->resetDynamicRange();
    d.network->getInput(0)->setType(DataType::kINT8);
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_EQ(file, nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "buildSerializedNetwork: x: is int8 but has no range; set one with setDynamicRange, or use another type");
}

/// As in sampleINT8API: int8 is requested of every layer, and the network's output is FLOAT.
TEST_F(Int8, askedOfEveryLayerIsNotTheTypeOfTheNetworksOutput) {
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    ITensor& x = d.input("x", {1, 4});
    ILayer* const relu = d.network->addActivation(x, ActivationType::kRELU);
    relu->setPrecision(DataType::kINT8);
    relu->setOutputType(0, DataType::kINT8);
    d.output(relu->getOutput(0));
    x.setDynamicRange(-127, 127);
    relu->getOutput(0)->setDynamicRange(-127, 127);
    for (bool const mustObey : {false, true}) {
        if (mustObey) d.config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
        Running r(*d.build());
        EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kFLOAT);
        EXPECT_EQ(r.run({1, -2, 3, 100}, 4), (Floats{1, 0, 3, 100}));
    }
}

TEST_F(Int8, rangesAreCheckedAndKept) {
    Defining d;
    ITensor& x = d.input("x", {1, 4});
    EXPECT_FALSE(x.dynamicRangeIsSet());
    EXPECT_TRUE(x.setDynamicRange(-2, 1));
    EXPECT_EQ(x.getDynamicRangeMin(), -2);
    EXPECT_EQ(x.getDynamicRangeMax(), 1);
    EXPECT_FALSE(x.setDynamicRange(1, -1));
    EXPECT_EQ(d.messages.lastError(),
              "ITensor::setDynamicRange: x: range 1 to -1; expected finite numbers, min not above max");
    x.resetDynamicRange();
    EXPECT_FALSE(x.dynamicRangeIsSet());
}

/// For an application that computes the range of a constant from its values.
TEST_F(Int8, rangesOfZerosTellZeros) {
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    Floats const zeros(4);
    ITensor& x = d.input("x", {1, 4});
    ITensor& bias = *d.network->addConstant(test::dims({1, 4}), test::weights(zeros))->getOutput(0);
    ITensor& y = *d.network->addElementWise(x, bias, ElementWiseOperation::kSUM)->getOutput(0);
    d.output(&y);
    EXPECT_TRUE(x.setDynamicRange(-127, 127));
    EXPECT_TRUE(bias.setDynamicRange(-0.0F, 0.0F)) << d.messages.lastError();
    EXPECT_TRUE(bias.dynamicRangeIsSet());
    EXPECT_EQ(bias.getDynamicRangeMax(), 0);
    EXPECT_TRUE(y.setDynamicRange(-127, 127));
    EXPECT_EQ(Running(*d.build()).run({1, -2, 3, 100}, 4), (Floats{1, -2, 3, 100}));
}

} // namespace
} // namespace tenon
