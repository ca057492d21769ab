// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins of the classes that know no dynamic shapes.

#include "support/api.h"

#include <cstring>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

/// The calls of this test's plugins.
struct Told {
    std::vector<int32_t> batches;
    std::vector<int64_t> inputExtents;
    PluginFormat format = PluginFormat::kCHW32;
};
Told& told() {
    static Told told;
    return told;
}

/// y = -x, as far as all classes have this in common.
template <class Base> class Negate : public Base {
public:
    char const* getPluginType() const override { return "Negate"; }
    char const* getPluginVersion() const override { return "1"; }
    int32_t getNbOutputs() const override { return 1; }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) override {
        elements_ = 1;
        for (int32_t i = 0; i < inputs[0].nbDims; ++i) elements_ *= inputs[0].d[i];
        return inputs[0];
    }
    int32_t initialize() override { return 0; }
    void terminate() override {}
    size_t getWorkspaceSize(int32_t) const override { return 0; }
    int32_t enqueue(int32_t batchSize, void const* const* inputs, void* const* outputs, void*, cudaStream_t) override {
        told().batches.push_back(batchSize);
        for (int64_t i = 0; i < batchSize * elements_; ++i)
            static_cast<float*>(outputs[0])[i] = -static_cast<float const*>(inputs[0])[i];
        return 0;
    }
    size_t getSerializationSize() const override { return sizeof elements_; }
    void serialize(void* buffer) const override { std::memcpy(buffer, &elements_, sizeof elements_); }
    void destroy() override { delete this; }
    void setPluginNamespace(char const*) override {}
    char const* getPluginNamespace() const override { return ""; }

    int64_t elements_ = 0;
};

bool isPlain(DataType type, PluginFormat format) { return type == DataType::kFLOAT && format == PluginFormat::kLINEAR; }

class NegateV2 final : public Negate<IPluginV2> {
public:
    bool supportsFormat(DataType type, PluginFormat format) const override { return isPlain(type, format); }
    void configureWithFormat(Dims const* inputDims, int32_t, Dims const*, int32_t, DataType, PluginFormat format,
                             int32_t maxBatchSize) override {
        told().inputExtents = test::extents(inputDims[0]);
        told().format = format;
        told().batches.push_back(maxBatchSize);
    }
    IPluginV2* clone() const override { return new NegateV2(*this); }
};

class NegateExt final : public Negate<IPluginV2Ext> {
public:
    bool supportsFormat(DataType type, PluginFormat format) const override { return isPlain(type, format); }
    DataType getOutputDataType(int32_t, DataType const* inputTypes, int32_t) const override { return inputTypes[0]; }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const override { return false; }
    bool canBroadcastInputAcrossBatch(int32_t) const override { return false; }
    void configurePlugin(Dims const* inputDims, int32_t, Dims const*, int32_t, DataType const*, DataType const*,
                         bool const*, bool const*, PluginFormat format, int32_t maxBatchSize) override {
        told().inputExtents = test::extents(inputDims[0]);
        told().format = format;
        told().batches.push_back(maxBatchSize);
    }
    IPluginV2Ext* clone() const override { return new NegateExt(*this); }
};

class NegateIOExt final : public Negate<IPluginV2IOExt> {
public:
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) const override {
        return isPlain(inOut[pos].type, inOut[pos].format);
    }
    DataType getOutputDataType(int32_t, DataType const* inputTypes, int32_t) const override { return inputTypes[0]; }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const override { return false; }
    bool canBroadcastInputAcrossBatch(int32_t) const override { return false; }
    void configurePlugin(PluginTensorDesc const* in, int32_t, PluginTensorDesc const*, int32_t) override {
        told().inputExtents = test::extents(in[0].dims);
        told().format = in[0].format;
    }
    IPluginV2Ext* clone() const override { return new NegateIOExt(*this); }
};

template <class Plugin> class NegateCreator final : public IPluginCreator {
public:
    NegateCreator() { getPluginRegistry()->registerCreator(*this, ""); }
    ~NegateCreator() override { getPluginRegistry()->deregisterCreator(*this); }
    char const* getPluginName() const override { return "Negate"; }
    char const* getPluginVersion() const override { return "1"; }
    PluginFieldCollection const* getFieldNames() override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) override { return new Plugin; }
    IPluginV2* deserializePlugin(char const*, void const* data, size_t) override {
        auto* plugin = new Plugin;
        std::memcpy(&plugin->elements_, data, sizeof plugin->elements_);
        return plugin;
    }
    void setPluginNamespace(char const*) override {}
    char const* getPluginNamespace() const override { return ""; }

private:
    PluginFieldCollection fields_{0, nullptr};
};

template <class Plugin> class StaticPlugin : public testing::Test {
protected:
    StaticPlugin() { told() = {}; }
    NegateCreator<Plugin> creator_;
};
using Classes = testing::Types<NegateV2, NegateExt, NegateIOExt>;
TYPED_TEST_SUITE(StaticPlugin, Classes);

TYPED_TEST(StaticPlugin, seesTheDimensionsBehindTheBatchAxis) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {2, 3})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(test::extents(layer->getOutput(0)->getDimensions()), (std::vector<int64_t>{2, 3}));
    d.output(layer->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(told().inputExtents, (std::vector<int64_t>{3}));
    EXPECT_EQ(told().format, PluginFormat::kLINEAR);
    for (int32_t batch : told().batches) EXPECT_EQ(batch, 2);
}

TYPED_TEST(StaticPlugin, isAskedAboutAllFormatsOfPictures) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {1, 3, 2, 1})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    d.output(layer->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(told().inputExtents, (std::vector<int64_t>{3, 2, 1}));
}

TYPED_TEST(StaticPlugin, takesAnyBatchOfTheProfile) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {-1, 2})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    d.output(layer->getOutput(0));
    d.range("x", {1, 2}, {2, 2}, {4, 2});
    auto const file = d.build();
    for (int32_t batch : told().batches) EXPECT_EQ(batch, 4); // the profile's largest
    Running r(*file);
    for (int32_t batch : {1, 4, 3}) {
        told().batches.clear();
        ASSERT_TRUE(r.context->setInputShape("x", Dims2(batch, 2)));
        Floats const x(static_cast<size_t>(batch) * 2, 5), y(x.size(), -5);
        EXPECT_EQ(r.run(x, x.size()), y);
        EXPECT_EQ(told().batches, (std::vector<int32_t>{batch}));
    }
}

TYPED_TEST(StaticPlugin, isConfiguredAnewForOtherShapesBehindTheBatch) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {2, 3, -1})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(test::extents(layer->getOutput(0)->getDimensions()), (std::vector<int64_t>{2, 3, -1}));
    d.output(layer->getOutput(0));
    d.range("x", {2, 3, 1}, {2, 3, 2}, {2, 3, 4});
    Running r(*d.build());
    EXPECT_EQ(told().inputExtents, (std::vector<int64_t>{3, 4})); // the builder's largest
    for (int32_t extent : {2, 4, 2, 1}) {
        ASSERT_TRUE(r.context->setInputShape("x", Dims3(2, 3, extent)));
        Floats const x(static_cast<size_t>(6 * extent), 5), y(x.size(), -5);
        EXPECT_EQ(r.run(x, x.size()), y);
        EXPECT_EQ(told().inputExtents, (std::vector<int64_t>{3, extent}));
    }
}

TYPED_TEST(StaticPlugin, refusesScalars) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {})};
    EXPECT_EQ(d.network->addPluginV2(inputs, 1, plugin), nullptr);
    EXPECT_NE(d.messages.lastError().find("input 0 is a scalar, and a plugin of class "), std::string::npos)
        << d.messages.lastError();
}

/// A plugin that wraps another one and was registered with another version; its clone() returns the inner one.
class WrappedNegate final : public Negate<IPluginV2> {
public:
    char const* getPluginVersion() const override { return "around 1"; }
    bool supportsFormat(DataType type, PluginFormat format) const override { return isPlain(type, format); }
    void configureWithFormat(Dims const*, int32_t, Dims const*, int32_t, DataType, PluginFormat, int32_t) override {}
    IPluginV2* clone() const override { return new NegateV2; }
};

TEST(StaticPlugin, mayBeAnotherVersionThanWhatItIsClonedFrom) {
    NegateCreator<NegateV2> const creator;
    Defining d;
    WrappedNegate plugin;
    ITensor* inputs[]{&d.input("x", {2, 3})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_STREQ(layer->getPlugin().getPluginVersion(), "1");
    EXPECT_EQ(d.messages.warnings.back(), "plugin Negate, version around 1, namespace \"\": clone returned plugin "
                                          "Negate, version 1, namespace \"\", which the network keeps");
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
}

/// Its clone() loses the configuration; there are such plugins.
class ForgetfulNegate final : public Negate<IPluginV2> {
public:
    bool supportsFormat(DataType type, PluginFormat format) const override { return isPlain(type, format); }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) override { return inputs[0]; }
    void configureWithFormat(Dims const* inputDims, int32_t, Dims const*, int32_t, DataType, PluginFormat,
                             int32_t) override {
        EXPECT_EQ(elements_, 0) << "configured twice";
        elements_ = inputDims[0].d[0];
    }
    IPluginV2* clone() const override { return new ForgetfulNegate; }
};

TEST(StaticPlugin, thatForgetsItsConfigurationWhenItIsClonedIsShared) {
    NegateCreator<ForgetfulNegate> const creator;
    Defining d;
    ForgetfulNegate plugin;
    ITensor* inputs[]{&d.input("x", {2, 3})};
    d.output(d.network->addPluginV2(inputs, 1, plugin)->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
    std::unique_ptr<IExecutionContext> const second(r.engine->createExecutionContext());
    ASSERT_NE(second, nullptr) << r.messages.lastError();
    EXPECT_EQ(r.run({6, 5, 4, 3, 2, 1}, 6), (Floats{-6, -5, -4, -3, -2, -1}));
}

/// The batch is the first axis of the first input, whatever the others have there.
TYPED_TEST(StaticPlugin, takesWeightsOfAnotherFirstExtent) {
    Defining d;
    TypeParam plugin;
    Floats const weights(5, 1);
    ITensor* constant = d.network->addConstant(Dims2(5, 1), {DataType::kFLOAT, weights.data(), 5})->getOutput(0);
    ITensor* inputs[]{&d.input("x", {2, 3}), constant};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 2, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(test::extents(layer->getOutput(0)->getDimensions()), (std::vector<int64_t>{2, 3}));
    d.output(layer->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
    for (int32_t batch : told().batches) EXPECT_EQ(batch, 2);
}

TYPED_TEST(StaticPlugin, takesTheBatchOfItsFirstInputWhereTheSecondIsOpen) {
    Defining d;
    TypeParam plugin;
    ITensor* inputs[]{&d.input("x", {2, 3}), &d.input("z", {-1, 3})};
    IPluginV2Layer* layer = d.network->addPluginV2(inputs, 2, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(test::extents(layer->getOutput(0)->getDimensions()), (std::vector<int64_t>{2, 3}));
    d.output(layer->getOutput(0));
    d.range("z", {1, 3}, {5, 3}, {7, 3});
    Running r(*d.build());
    Floats z(15, 9);
    ASSERT_TRUE(r.context->setInputShape("z", Dims2(5, 3)));
    ASSERT_TRUE(r.context->setTensorAddress("z", z.data()));
    EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{-1, -2, -3, -4, -5, -6}));
    for (int32_t batch : told().batches) EXPECT_EQ(batch, 2);
}

} // namespace
} // namespace tenon
