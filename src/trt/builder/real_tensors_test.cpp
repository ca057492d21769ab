// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that compute with real numbers, whose tensors a network has in INT8: plugins that compute by themselves, and
// such that are networks.

#include "support/api.h"

#include <algorithm>
#include <tenon/plugin_base.h>

namespace {

using namespace nvinfer1;
using namespace tenon::test;
using Floats = std::vector<float>;

template <class Base> tenon::PluginBase::Signature tripleSignature() {
    return typename Base::Signature().input("x", "[...]").output("y", "[...]").output("z", "[...]").realsMayBeInt8();
}

/// y = 3 x, z = x.
class Triple final : public tenon::PluginBase {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return tripleSignature<PluginBase>(); }
    void run(Tensors inputs, Tensors outputs) override {
        for (int64_t i = 0; i < inputs[0].count(); ++i) outputs[0].floats()[i] = 3 * inputs[0].floats()[i];
        std::copy_n(inputs[0].floats(), inputs[0].count(), outputs[1].floats());
    }
};

class TripleNetwork final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return tripleSignature<PluginBase>(); }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override {
        ITensor& x = *inputs[0];
        ITensor& twice = *network.addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0);
        return {network.addElementWise(twice, x, ElementWiseOperation::kSUM)->getOutput(0), &x};
    }
};

/// A network with a plugin that is a network, or not, of either class of the API.
struct Quantizing : Defining {
    ILayer& add(ITensor& x, bool isNetwork, tenon::PluginGeneration generation = tenon::PluginGeneration::kV3) {
        auto const definition = isNetwork ? tenon::definePlugin<TripleNetwork>("Triple", "1", generation)
                                          : tenon::definePlugin<Triple>("Triple", "1", generation);
        creators_.push_back(std::make_unique<tenon::PluginCreators>(std::vector{definition}, "reals"));
        int32_t count = 0;
        auto* const creator = creators_.back()->list(count)[0];
        PluginFieldCollection const none{};
        ITensor* const inputs[]{&x};
        if (generation == tenon::PluginGeneration::kV3) {
            std::unique_ptr<IPluginV3> const plugin(
                static_cast<IPluginCreatorV3One*>(creator)->createPlugin("p", &none, TensorRTPhase::kBUILD));
            return named(network->addPluginV3(inputs, 1, nullptr, 0, *plugin));
        }
        auto* const plugin = static_cast<IPluginCreator*>(creator)->createPlugin("p", &none);
        ILayer& layer = named(network->addPluginV2(inputs, 1, *plugin));
        plugin->destroy();
        return layer;
    }
    ITensor& quantize(ITensor& x, ITensor& scale) {
        return *network->addQuantize(x, scale, DataType::kINT8)->getOutput(0);
    }
    ITensor& quantize(ITensor& x, float scale) { return quantize(x, floats({}, {scale})); }
    ITensor& dequantize(ITensor& x, float scale) {
        return *network->addDequantize(x, floats({}, {scale}), DataType::kFLOAT)->getOutput(0);
    }
    ITensor& reshape(ITensor& x, std::vector<int64_t> const& extents) {
        IShuffleLayer* const layer = network->addShuffle(x);
        layer->setReshapeDimensions(dims(extents));
        return *layer->getOutput(0);
    }
    /// Why there is no engine.
    std::string refusal() {
        std::unique_ptr<IHostMemory> const file(builder->buildSerializedNetwork(*network, *config));
        EXPECT_EQ(file, nullptr);
        return messages.lastError();
    }

private:
    static ILayer& named(ILayer* layer) {
        layer->setName("triple");
        return *layer;
    }

    std::vector<std::unique_ptr<tenon::PluginCreators>> creators_; // which engines that run do not need to find
};

class RealTensors : public testing::TestWithParam<std::tuple<bool, tenon::PluginGeneration>> {
protected:
    ILayer& add(Quantizing& d, ITensor& x) {
        auto const [isNetwork, generation] = GetParam();
        return d.add(x, isNetwork, generation);
    }
    /// Of an engine that is built here: a saved one would need the plugin in the registry.
    Floats run(Quantizing& d, Floats x, size_t count) {
        engine_.reset(d.builder->buildEngineWithConfig(*d.network, *d.config));
        if (!engine_) {
            ADD_FAILURE() << d.messages.lastError();
            return {};
        }
        std::unique_ptr<IExecutionContext> const context(engine_->createExecutionContext());
        Floats y(count), z(count);
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
        if (engine_->getNbIOTensors() > 2) context->setTensorAddress("z", z.data());
        EXPECT_TRUE(context->enqueueV3(nullptr)) << d.messages.lastError();
        return y;
    }
    std::unique_ptr<ICudaEngine> engine_;
};

using tenon::PluginGeneration;
INSTANTIATE_TEST_SUITE_P(All, RealTensors,
                         testing::Combine(testing::Bool(),
                                          testing::Values(PluginGeneration::kV2DynamicExt, PluginGeneration::kV3)));

Floats const kX{0, 1, -1.25F, 0.75F, 3.9F, -100};
/// q = clamp(round half to even(x / 0.5), -128, 127), y = 0.25 clamp(round half to even(3 · 0.5 q / 0.25), -128, 127)
Floats const kY{0, 3, -3, 3, 12, -32};

TEST_P(RealTensors, HaveTheScalesOfWhatQuantizesAndDequantizesThem) {
    Quantizing d;
    ILayer& layer = add(d, d.quantize(d.input("x", {1, 3, 1, 2}), 0.5F));
    EXPECT_EQ(layer.getOutput(0)->getType(), DataType::kINT8);
    d.output(&d.dequantize(*layer.getOutput(0), 0.25F));
    EXPECT_EQ(run(d, kX, 6), kY);
}

TEST_P(RealTensors, MayHaveBeenMovedInBetween) {
    Quantizing d;
    ITensor& x = d.reshape(d.quantize(d.input("x", {6}), 0.5F), {1, 3, 2});
    ITensor& y = d.reshape(*add(d, x).getOutput(0), {6});
    d.output(&d.dequantize(y, 0.25F));
    EXPECT_EQ(run(d, kX, 6), kY);
}

TEST_P(RealTensors, MayHaveAScaleForEachChannel) {
    Quantizing d;
    ITensor& x = d.input("x", {1, 2, 3});
    ITensor& scales = d.floats({2}, {0.5F, 1});
    IQuantizeLayer* const quantize = d.network->addQuantize(x, scales, DataType::kINT8);
    quantize->setAxis(1);
    IDequantizeLayer* const dequantize =
        d.network->addDequantize(*add(d, *quantize->getOutput(0)).getOutput(0), scales, DataType::kFLOAT);
    dequantize->setAxis(1);
    d.output(dequantize->getOutput(0));
    EXPECT_EQ(run(d, {0.5F, 0.6F, 30, 0.5F, 0.6F, 30}, 6), (Floats{1.5F, 1.5F, 63.5F, 0, 3, 90}));
}

TEST_P(RealTensors, AreHalfWhereTheNetworkIs) {
    Quantizing d;
    auto const half = [&](ITensor& tensor) -> ITensor& {
        return *d.network->addCast(tensor, DataType::kHALF)->getOutput(0);
    };
    ITensor& x = half(d.input("x", {6}));
    ITensor& y = *add(d, d.quantize(x, half(d.floats({}, {0.5F})))).getOutput(0);
    ITensor& real = *d.network->addDequantize(y, half(d.floats({}, {0.25F})), DataType::kHALF)->getOutput(0);
    d.output(d.network->addCast(real, DataType::kFLOAT)->getOutput(0));
    EXPECT_EQ(run(d, kX, 6), kY);
}

TEST_P(RealTensors, HaveTheScaleOfTheirRange) {
    Quantizing d;
    ITensor* const y = add(d, d.quantize(d.input("x", {6}), 0.5F)).getOutput(0);
    y->setDynamicRange(-0.25F * 127, 0.25F * 127);
    ITensor* const again = add(d, *y).getOutput(0); // y = 0.25 · 3 q, as integers
    d.output(&d.dequantize(*again, 1));
    EXPECT_EQ(run(d, {0, 0.5F, 1, -1, 5, -9}, 6), (Floats{0, 4, 9, -9, 45, -81}));
}

TEST_P(RealTensors, AreIntegersWhereANetworkEnds) {
    Quantizing d;
    ITensor* const y = add(d, d.quantize(d.input("x", {4}), 0.5F)).getOutput(0);
    y->setDynamicRange(-0.25F * 127, 0.25F * 127);
    d.output(y);
    Floats const bytes = run(d, {0, 0.5F, -1, 3}, 1);
    auto const* const integers = reinterpret_cast<int8_t const*>(bytes.data());
    EXPECT_EQ(std::vector<int8_t>(integers, integers + 4), (std::vector<int8_t>{0, 6, -12, 36}));
}

TEST_P(RealTensors, WithRangesMayBeAskedToBeIntegers) {
    Quantizing d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    ITensor& x = d.input("x", {1, 3, 1, 2});
    x.setDynamicRange(-0.5F * 127, 0.5F * 127);
    ILayer& layer = add(d, x);
    layer.setPrecision(DataType::kINT8);
    layer.setOutputType(0, DataType::kINT8);
    for (int32_t i : {0, 1}) layer.getOutput(i)->setDynamicRange(-0.25F * 127, 0.25F * 127);
    d.output(layer.getOutput(0)); // which the application reads unchanged: the type is requested of the layer only
    Floats const y = run(d, {0, 1, -1.5F, 0.5F, 3.5F, 10}, 6), expected{0, 3, -4.5F, 1.5F, 10.5F, 30};
    EXPECT_EQ(y, expected);
}

TEST_P(RealTensors, AreIntegersToAPluginThatTakesThese) {
    if (std::get<0>(GetParam())) return;
    Quantizing d;
    ILayer& layer = add(d, d.quantize(d.input("x", {1, 3, 1, 2}), 0.5F));
    d.output(&d.dequantize(*layer.getOutput(0), 0.25F));
    d.output(&d.dequantize(*layer.getOutput(1), 0.5F), "z");
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    run(d, kX, 6);
    std::unique_ptr<IEngineInspector> const inspector(engine_->createEngineInspector());
    std::string const layers = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
    std::string const triple = layers.substr(layers.find("Name: triple, "));
    EXPECT_EQ(triple.substr(0, triple.find('\n')).find("FP32 format"), std::string::npos) << layers;
}

TEST_P(RealTensors, OfWhichNobodyKnowsTheScaleAreRefused) {
    Quantizing d;
    d.output(&d.dequantize(*add(d, d.input("x", {6}, DataType::kINT8)).getOutput(0), 1));
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: triple: plugin Triple, version 1, namespace \"reals\": input 'x' "
                           "(x) is int8 [6], and its scale is not known; expected a quantize layer that produces it; "
                           "insert one, or a dequantize layer, before the plugin");
}

TEST_P(RealTensors, ThatNobodyDequantizesAreRefused) {
    Quantizing d;
    d.output(add(d, d.quantize(d.input("x", {6}), 0.5F)).getOutput(0));
    EXPECT_EQ(d.refusal(), "buildSerializedNetwork: triple: plugin Triple, version 1, namespace \"reals\": output 'y' "
                           "(y) is int8 [6], and its scale is not known; expected a dequantize layer that reads it, or "
                           "several with one scale; insert one after the plugin, or use floating-point inputs");
}

TEST_P(RealTensors, OfSeveralScalesAreRefused) {
    Quantizing d;
    ITensor& y = *add(d, d.quantize(d.input("x", {6}), 0.5F)).getOutput(0);
    d.output(&d.dequantize(y, 0.25F));
    d.output(&d.dequantize(y, 0.5F), "other");
    EXPECT_NE(d.refusal().find("is int8 [6], and is dequantized with several scales; expected"), std::string::npos);
}

} // namespace
