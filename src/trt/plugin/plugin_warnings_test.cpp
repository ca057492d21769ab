// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of plugins that an engine can live with, which a build and a load warn of.

#include "support/api.h"
#include "support/api_plugins.h"

#include <algorithm>
#include <cstring>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Registered;
using test::TimesV2;
using test::TimesV2Creator;

/// The mistakes of a test's plugins.
struct Mistakes {
    size_t size = sizeof(float);  // of which serialize() writes those of the factor
    bool acceptsHalfOnly = false; // for the output, which is FLOAT by getOutputDataType()
    bool cloneLosesNamespace = false;
    bool creatorLosesNamespace = false;
};
Mistakes mistakes;

/// y = 3 x
class Careless final : public TimesV2 {
public:
    Careless() : TimesV2(3) {}
    size_t getSerializationSize() const override { return mistakes.size; }
    void serialize(void* buffer) const override {
        float const factor = 3;
        auto* const bytes = static_cast<char*>(buffer);
        size_t const half = sizeof factor / 2; // at the beginning and at the end
        std::memcpy(bytes, &factor, half);
        std::memcpy(bytes + mistakes.size - half, reinterpret_cast<char const*>(&factor) + half, half);
    }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) override {
        DataType const wanted = pos == 1 && mistakes.acceptsHalfOnly ? DataType::kHALF : DataType::kFLOAT;
        return inOut[pos].type == wanted && inOut[pos].format == TensorFormat::kLINEAR;
    }
    IPluginV2DynamicExt* clone() const override {
        auto copy = std::make_unique<Careless>();
        if (!mistakes.cloneLosesNamespace) copy->setPluginNamespace(getPluginNamespace());
        return copy.release();
    }
};

class CarelessCreator final : public TimesV2Creator {
public:
    explicit CarelessCreator(char const* nameSpace) {
        setPluginNamespace(nameSpace);
        getPluginRegistry()->registerCreator(*this, nameSpace);
    }
    ~CarelessCreator() override { getPluginRegistry()->deregisterCreator(*this); }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        auto made = std::make_unique<Careless>();
        if (!mistakes.creatorLosesNamespace) made->setPluginNamespace(getPluginNamespace());
        return made.release();
    }
};

struct CarelessNetwork : Defining {
    explicit CarelessNetwork(char const* nameSpace = "") {
        ITensor* x = &input("x", {2});
        Careless plugin;
        plugin.setPluginNamespace(nameSpace);
        IPluginV2Layer* const layer = network->addPluginV2(&x, 1, plugin);
        layer->setName("times");
        output(layer->getOutput(0));
    }
    /// The warnings of the build and of the calls before it.
    std::vector<std::string> warningsOfBuild() {
        file = build();
        return messages.warnings;
    }
    std::unique_ptr<IHostMemory> file;
};

using Texts = std::vector<std::string>;

class PluginWarnings : public testing::Test {
protected:
    PluginWarnings() {
        test::notes() = {};
        mistakes = {};
    }
};

TEST_F(PluginWarnings, areNotGivenToPluginsWithoutMistakes) {
    CarelessCreator const creator("mine");
    CarelessNetwork d("mine");
    EXPECT_EQ(d.warningsOfBuild(), Texts());
    test::Running r(*d.file);
    EXPECT_EQ(r.run({1, 2}, 2), (std::vector<float>{3, 6}));
    EXPECT_EQ(r.messages.warnings, Texts());
}

TEST_F(PluginWarnings, countTheBytesThatSerializeLeftOut) {
    CarelessCreator const creator("");
    mistakes.size = 14;
    CarelessNetwork d;
    EXPECT_EQ(d.warningsOfBuild(), Texts{"times (plugin TimesV2, version 1, namespace \"\"): serialize wrote 4 of the "
                                         "14 bytes that getSerializationSize returned, without byte 2; the engine "
                                         "stores 0 there; expected both to cover the same fields"});
    test::Running r(*d.file);
    EXPECT_EQ(r.run({1, 2}, 2), (std::vector<float>{3, 6}));
}

TEST_F(PluginWarnings, nameAnOutputTypeThatIsNotAccepted) {
    CarelessCreator const creator("");
    mistakes.acceptsHalfOnly = true;
    CarelessNetwork d;
    d.config->setFlag(BuilderFlag::kFP16);
    EXPECT_EQ(d.warningsOfBuild(),
              Texts{"times (Plugin): plugin TimesV2, version 1, namespace \"\": getOutputDataType gives output 0 the "
                    "type float32; for inputs of the network's types, supportsFormatCombination accepts only float16 "
                    "for it; the engine converts it; expected both methods to agree"});
}

TEST_F(PluginWarnings, nameACloneWithoutItsNamespace) {
    CarelessCreator const creator("mine");
    mistakes.cloneLosesNamespace = true;
    CarelessNetwork d("mine");
    EXPECT_EQ(d.warningsOfBuild(),
              Texts{"plugin TimesV2, version 1, namespace \"mine\": clone returned a plugin without "
                    "its namespace, which is set; call setPluginNamespace there"});
    test::Running r(*d.file);
    EXPECT_EQ(r.run({1, 2}, 2), (std::vector<float>{3, 6}));
}

TEST_F(PluginWarnings, nameALoadedPluginWithoutItsNamespace) {
    CarelessCreator const creator("mine");
    CarelessNetwork d("mine");
    EXPECT_EQ(d.warningsOfBuild(), Texts());
    mistakes.creatorLosesNamespace = true;
    test::Running r(*d.file);
    EXPECT_EQ(
        r.messages.warnings,
        Texts{"times (plugin TimesV2, version 1, namespace \"mine\"): deserializePlugin of its creator made a plugin "
              "without its namespace, which is set; call setPluginNamespace there"});
    EXPECT_EQ(r.run({1, 2}, 2), (std::vector<float>{3, 6}));
}

TEST_F(PluginWarnings, nameAPluginThatNoEngineFileWouldBeLoadedWith) {
    CarelessCreator const creator("mine");
    CarelessNetwork d; // createPlugin() did not set it
    EXPECT_EQ(
        d.warningsOfBuild(),
        Texts{"times (plugin TimesV2, version 1, namespace \"\"): its creator is registered under namespace \"mine\", "
              "so a file of the engine cannot be loaded; call setPluginNamespace in createPlugin() and clone()"});
}

} // namespace
} // namespace tenon
