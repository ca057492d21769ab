// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that are networks: engines have their layers in place of them.

#include "support/api.h"

#include <gtest/gtest.h>
#include <tenon/plugin_base.h>

namespace {

using namespace nvinfer1;
using namespace tenon::test;

/// The mistake of the next plugin.
enum class Wrong { Nothing, Throws, Null, Count, Type, Shape, Marks, Setter };
Wrong wrong = Wrong::Nothing;

/// y = x + x, and z = x where `both` is 1.
class Twice final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("both", both_); }
    Signature signature() const override {
        Signature signature;
        signature.input("x", "[...]").output("y", "[...]");
        return both_ ? signature.output("z", "[...]") : signature;
    }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override {
        ITensor& x = *inputs[0];
        if (wrong == Wrong::Throws) throw std::invalid_argument("this is not to be doubled");
        if (wrong == Wrong::Null) return {nullptr};
        ITensor* const y = network.addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0);
        if (wrong == Wrong::Count) return {y, y, y};
        if (wrong == Wrong::Type) return {network.addCast(x, DataType::kINT32)->getOutput(0)};
        if (wrong == Wrong::Shape) return {network.addReduce(x, ReduceOperation::kSUM, 1, true)->getOutput(0)};
        if (wrong == Wrong::Marks) network.markOutput(*y);
        if (wrong == Wrong::Setter) network.addSoftMax(x)->setAxes(1U << 31);
        if (both_) return {y, &x};
        return {y};
    }

private:
    int32_t both_ = 0;
};

/// Four times its input, by two plugins inside this one; endless recursion if `endless`.
class Inner final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("endless", endless_); }
    Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override;

private:
    int32_t endless_ = 0;
};

/// y = x + steps · 7, by a nested plugin of this kind for all steps but one. Weights are gone when it returns.
class AddSevens final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("steps", steps_); }
    Signature signature() const override { return Signature().input("x", "[N]").output("y", "[N]"); }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override;

private:
    int32_t steps_ = 1;
};

/// y = 4 x, by a loop.
class Looped final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override {
        ILoop* const loop = network.addLoop();
        int32_t const trips = 2;
        loop->addTripLimit(*network.addConstant(Dims{}, Weights{DataType::kINT32, &trips, 1})->getOutput(0),
                           TripLimit::kCOUNT);
        IRecurrenceLayer* const carried = loop->addRecurrence(*inputs[0]);
        ITensor& x = *carried->getOutput(0);
        carried->setInput(1, *network.addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0));
        return {loop->addLoopOutput(x, LoopOutput::kLAST_VALUE)->getOutput(0)};
    }
};

/// y = a · b, where an extent of 1 would be broadcast; the squares of FLOAT are too large for HALF.
class Product final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature()
            .input("a", "[N,2]", Kind::kFloat)
            .input("b", "[N,2]", Kind::kFloat)
            .output("y", "[N,2]", Kind::kFloat);
    }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override {
        ITensor* const product =
            network.addElementWise(*inputs[0], *inputs[1], ElementWiseOperation::kPROD)->getOutput(0);
        return {network.addUnary(*product, UnaryOperation::kSQRT)->getOutput(0)};
    }
};

class PluginNetworks : public testing::TestWithParam<tenon::PluginGeneration> {
protected:
    PluginNetworks() { wrong = Wrong::Nothing; }
    ~PluginNetworks() override { wrong = Wrong::Nothing; }
};

/// A plugin added to a network; returns its layer.
ILayer* addPlugin(INetworkDefinition& network, std::vector<ITensor*> const& inputs, tenon::PluginDefinition definition,
                  std::vector<PluginField> const& fields = {}) {
    tenon::PluginCreators const creators({definition}, "networks");
    PluginFieldCollection const given{int32_t(fields.size()), fields.data()};
    int32_t count = 0;
    auto* const creator = creators.list(count)[0];
    if (definition.generation == tenon::PluginGeneration::kV3) {
        std::unique_ptr<IPluginV3> const plugin(
            static_cast<IPluginCreatorV3One*>(creator)->createPlugin("p", &given, TensorRTPhase::kBUILD));
        return network.addPluginV3(inputs.data(), int32_t(inputs.size()), nullptr, 0, *plugin);
    }
    auto* const plugin = static_cast<IPluginCreator*>(creator)->createPlugin("p", &given);
    ILayer* const layer = network.addPluginV2(inputs.data(), int32_t(inputs.size()), *plugin);
    plugin->destroy();
    return layer;
}

template <class P> tenon::PluginDefinition define(tenon::PluginGeneration generation) {
    return tenon::definePlugin<P>("Twice", "1", generation);
}

std::vector<ITensor*> Inner::addLayers(INetworkDefinition& network, NetworkTensors inputs) {
    PluginField const endless("endless", &endless_, PluginFieldType::kINT32, 1);
    auto const add = [&](ITensor& x) {
        return endless_ ? addPlugin(network, {&x}, define<Inner>(tenon::PluginGeneration::kV3), {endless})->getOutput(0)
                        : addPlugin(network, {&x}, define<Twice>(tenon::PluginGeneration::kV3))->getOutput(0);
    };
    return {add(*add(*inputs[0]))};
}

std::vector<ITensor*> AddSevens::addLayers(INetworkDefinition& network, NetworkTensors inputs) {
    float const seven[] = {7};
    ITensor& constant = *network.addConstant(dims({1}), Weights{DataType::kFLOAT, seven, 1})->getOutput(0);
    ITensor* sum = network.addElementWise(*inputs[0], constant, ElementWiseOperation::kSUM)->getOutput(0);
    if (steps_ > 1) {
        int32_t const left = steps_ - 1;
        PluginField const steps("steps", &left, PluginFieldType::kINT32, 1);
        sum = addPlugin(network, {sum}, define<AddSevens>(tenon::PluginGeneration::kV3), {steps})->getOutput(0);
    }
    return {sum};
}

int32_t const kOne = 1;
PluginField const kBothOutputs("both", &kOne, PluginFieldType::kINT32, 1);

TEST_P(PluginNetworks, AnEngineHasTheirLayersAndNotThePlugin) {
    Defining d;
    ITensor& x = d.input("x", {-1, 2});
    d.range("x", {1, 2}, {2, 2}, {3, 2});
    ILayer* const layer = addPlugin(*d.network, {&x}, define<Twice>(GetParam()));
    layer->setName("double");
    d.output(layer->getOutput(0));
    auto const file = d.build();
    Running running(*file); // no such plugin is registered
    ASSERT_TRUE(running.context) << running.messages.lastError();
    running.context->setInputShape("x", dims({3, 2}));
    EXPECT_EQ(running.run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{2, 4, 6, 8, 10, 12}));
    std::unique_ptr<IEngineInspector> const inspector(running.engine->createEngineInspector());
    std::string const layers = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
    EXPECT_NE(layers.find("double (Twice)/"), std::string::npos) << layers;
}

TEST_P(PluginNetworks, WhatTheyReadAndGiveMayBeOneTensorAndAnOutputOfTheNetwork) {
    Defining d;
    ITensor& x = d.input("x", {2});
    ILayer* const layer = addPlugin(*d.network, {&x}, define<Twice>(GetParam()), {kBothOutputs});
    ITensor* const sum =
        d.network->addElementWise(*layer->getOutput(0), *layer->getOutput(1), ElementWiseOperation::kSUM)->getOutput(0);
    d.output(sum);
    d.output(layer->getOutput(1), "z");
    auto const file = d.build();
    Running running(*file);
    std::vector<float> z(2);
    running.context->setTensorAddress("z", z.data());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{3, 6}));
    EXPECT_EQ(z, (std::vector<float>{1, 2}));
}

TEST_P(PluginNetworks, MayHavePluginsInTheirNetworks) {
    Defining d;
    ILayer* const layer = addPlugin(*d.network, {&d.input("x", {2})}, define<Inner>(GetParam()));
    d.output(layer->getOutput(0));
    Running running(*d.build());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{4, 8}));
}

TEST_P(PluginNetworks, MayStandInALoop) {
    Defining d;
    ITensor& x = d.input("x", {2});
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(d.integers({}, {3}), TripLimit::kCOUNT);
    IRecurrenceLayer* const carried = loop->addRecurrence(x);
    ILayer* const layer = addPlugin(*d.network, {carried->getOutput(0)}, define<Twice>(GetParam()));
    carried->setInput(1, *layer->getOutput(0));
    d.output(loop->addLoopOutput(*carried->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    Running running(*d.build());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{8, 16}));
}

TEST_P(PluginNetworks, MayHaveLoopsBesideThoseOfTheNetwork) {
    Defining d;
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(d.integers({}, {3}), TripLimit::kCOUNT);
    IRecurrenceLayer* const carried = loop->addRecurrence(d.input("x", {2}));
    ITensor& x = *carried->getOutput(0);
    carried->setInput(1, *d.network->addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0));
    ITensor* y = loop->addLoopOutput(x, LoopOutput::kLAST_VALUE)->getOutput(0);
    for (int i = 0; i < 2; ++i) y = addPlugin(*d.network, {y}, define<Looped>(GetParam()))->getOutput(0);
    d.output(y);
    Running running(*d.build());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{128, 256})); // 8 · 4 · 4
}

TEST_P(PluginNetworks, HaveWeightsThatAreGoneWhenTheirLayersAreAdded) {
    Defining d;
    int32_t const three = 3;
    PluginField const steps("steps", &three, PluginFieldType::kINT32, 1);
    d.output(addPlugin(*d.network, {&d.input("x", {2})}, define<AddSevens>(GetParam()), {steps})->getOutput(0));
    Running running(*d.build());
    EXPECT_EQ(running.run({1, 2}, 2), (std::vector<float>{22, 23}));
}

TEST_P(PluginNetworks, AreGivenTheShapesThatTheySayInEachRun) {
    Defining d;
    ITensor &a = d.input("a", {-1, -1}), &b = d.input("b", {-1, 2});
    IOptimizationProfile* const profile = d.builder->createOptimizationProfile();
    for (char const* name : {"a", "b"}) {
        profile->setDimensions(name, OptProfileSelector::kMIN, dims({1, 2}));
        profile->setDimensions(name, OptProfileSelector::kOPT, dims({2, 2}));
        profile->setDimensions(name, OptProfileSelector::kMAX, dims({4, 2}));
    }
    d.config->addOptimizationProfile(profile);
    ILayer* const layer = addPlugin(*d.network, {&a, &b}, define<Product>(GetParam()));
    d.output(layer->getOutput(0));
    Running running(*d.build());
    std::vector<float> values(12, 2), y(12);
    for (char const* name : {"a", "b"}) running.context->setTensorAddress(name, values.data());
    running.context->setTensorAddress("y", y.data());
    auto const runs = [&](Dims const& ofA, Dims const& ofB) {
        return running.context->setInputShape("a", ofA) && running.context->setInputShape("b", ofB) &&
               running.context->enqueueV3(nullptr);
    };
    EXPECT_TRUE(runs(dims({3, 2}), dims({3, 2}))) << running.messages.lastError();
    EXPECT_FALSE(runs(dims({1, 2}), dims({3, 2})));
    EXPECT_NE(running.messages.lastError().find("Twice: extent 0 of input 'b' is not that of its shape, [N,2]"),
              std::string::npos)
        << running.messages.lastError();
}

TEST_P(PluginNetworks, AreGivenTheTypesThatTheySay) {
    Defining d;
    d.output(addPlugin(*d.network, {&d.input("x", {2}, DataType::kINT32)}, define<Twice>(GetParam()))->getOutput(0));
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_FALSE(file);
    EXPECT_EQ(d.messages.errors.front(), "Twice: input 'x' is INT32; expected FLOAT, HALF or BF16");
}

TEST_P(PluginNetworks, OfFloatsComputeInFloatWhateverABuildAllows) {
    Defining d;
    d.config->setFlag(BuilderFlag::kFP16);
    d.config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    ITensor& x = d.input("x", {1, 2});
    ILayer* const layer = addPlugin(*d.network, {&x, &x}, define<Product>(GetParam()));
    layer->setPrecision(DataType::kHALF);
    d.output(layer->getOutput(0));
    Running running(*d.build());
    EXPECT_EQ(running.run({1000, 0.0001F}, 2), (std::vector<float>{1000, 0.0001F}));
}

TEST_P(PluginNetworks, KeepWhatAProgramAsksOfTheirOutputs) {
    Defining d;
    d.config->setFlag(BuilderFlag::kFP16);
    d.config->setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    ILayer* const layer = addPlugin(*d.network, {&d.input("x", {1})}, define<Twice>(GetParam()));
    layer->setOutputType(0, DataType::kHALF);
    ILayer* const next =
        d.network->addElementWise(*layer->getOutput(0), d.floats({1}, {-2}), ElementWiseOperation::kSUM);
    next->setPrecision(DataType::kFLOAT);
    next->setOutputType(0, DataType::kFLOAT);
    d.output(next->getOutput(0));
    Running running(*d.build());
    EXPECT_EQ(running.run({1.0001F}, 1), (std::vector<float>{0})); // 2.0002 is 2 in HALF
}

TEST_P(PluginNetworks, TellWhatIsWrongWithThem) {
    struct {
        Wrong wrong;
        char const* text;
        char const* first = ""; // the log before that
    } const cases[]{
        {Wrong::Throws,
         "p: plugin Twice, version 1, namespace \"networks\": it could not add its layers; its error is logged above",
         "Twice: this is not to be doubled"},
        {Wrong::Null, "the tensor that it returned for output 0 is null"},
        {Wrong::Count, "it could not add its layers", "Twice: addLayers() gives 3 tensors; expected 1"},
        {Wrong::Type, "its layers produce output 0 as int32 [2]; as a plugin it reports float32 [2]"},
        {Wrong::Shape, "its layers produce output 0 as float32 [1]; as a plugin it reports float32 [2]"},
        {Wrong::Setter, "a call to its network failed while it added its layers; the error is logged above"},
        {Wrong::Marks,
         "it added inputs or marked outputs; expected layers only, between the given inputs and the returned outputs"},
    };
    for (auto const& one : cases) {
        Defining d;
        wrong = one.wrong;
        ILayer* const layer = addPlugin(*d.network, {&d.input("x", {2})}, define<Twice>(GetParam()));
        layer->setName("p");
        d.output(layer->getOutput(0));
        std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
        EXPECT_FALSE(file);
        EXPECT_NE(d.messages.lastError().find(one.text), std::string::npos) << d.messages.lastError();
        EXPECT_NE(d.messages.errors.front().find(one.first), std::string::npos) << d.messages.errors.front();
    }
}

TEST_P(PluginNetworks, WithoutAnEndAreRefused) {
    Defining d;
    PluginField const endless("endless", &kOne, PluginFieldType::kINT32, 1);
    d.output(addPlugin(*d.network, {&d.input("x", {2})}, define<Inner>(GetParam()), {endless})->getOutput(0));
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    EXPECT_FALSE(file);
    EXPECT_NE(d.messages.lastError().find("plugins that are networks are nested more than 8 deep"), std::string::npos)
        << d.messages.lastError();
}

INSTANTIATE_TEST_SUITE_P(Both, PluginNetworks,
                         testing::Values(tenon::PluginGeneration::kV2DynamicExt, tenon::PluginGeneration::kV3));

} // namespace
