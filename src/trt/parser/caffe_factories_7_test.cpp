// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins of Caffe models that a program's factories make, of all generations of level 7.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "NvCaffeParser.h"
#include "trt/edge/older_program.inc"

#include <cstring>

namespace {

using nvcaffeparser1::ICaffeParser;

/// y = factor * x, as far as all classes have this in common.
template <class Base> class Times : public Base {
public:
    explicit Times(float factor) : factor_(factor) {}

    int32_t getNbOutputs() const override { return 1; }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) override { return inputs[0]; }
    int32_t initialize() override { return 0; }
    void terminate() override {}
    size_t getWorkspaceSize(int32_t) const override { return 0; }
    int32_t enqueue(int32_t batch, void const* const* inputs, void** outputs, void*, cudaStream_t) override {
        for (int64_t i = 0; i < batch * elements_; ++i)
            static_cast<float*>(outputs[0])[i] = factor_ * static_cast<float const*>(inputs[0])[i];
        return 0;
    }

protected:
    void save(void* buffer) const {
        std::memcpy(buffer, &factor_, sizeof factor_);
        std::memcpy(static_cast<char*>(buffer) + sizeof factor_, &elements_, sizeof elements_);
    }
    static constexpr size_t kSaved = sizeof(float) + sizeof(int64_t);

    float factor_;
    int64_t elements_ = 0;
};

class TimesV1 final : public Times<IPlugin> {
public:
    using Times::Times;
    void configure(Dims const* inputs, int32_t, Dims const*, int32_t, int32_t) override {
        elements_ = volume(inputs[0]);
    }
    size_t getSerializationSize() override { return kSaved; }
    void serialize(void* buffer) override { save(buffer); }
};

class TimesExt final : public Times<IPluginExt> {
public:
    using Times::Times;
    bool supportsFormat(DataType type, PluginFormat format) const override {
        return type == DataType::kFLOAT && format == PluginFormat::kNCHW;
    }
    void configureWithFormat(Dims const* inputs, int32_t, Dims const*, int32_t, DataType, PluginFormat,
                             int32_t) override {
        elements_ = volume(inputs[0]);
    }
    size_t getSerializationSize() override { return kSaved; }
    void serialize(void* buffer) override { save(buffer); }
};

class TimesV2 final : public Times<IPluginV2> {
public:
    using Times::Times;
    bool supportsFormat(DataType type, PluginFormat format) const override {
        return type == DataType::kFLOAT && format == PluginFormat::kNCHW;
    }
    void configureWithFormat(Dims const* inputs, int32_t, Dims const*, int32_t, DataType, PluginFormat,
                             int32_t) override {
        elements_ = volume(inputs[0]);
    }
    size_t getSerializationSize() const override { return kSaved; }
    void serialize(void* buffer) const override { save(buffer); }
    char const* getPluginType() const override { return "Times"; }
    char const* getPluginVersion() const override { return "1"; }
    void destroy() override { delete this; }
    IPluginV2* clone() const override { return new TimesV2(*this); }
    void setPluginNamespace(char const* space) override { space_ = space; }
    char const* getPluginNamespace() const override { return space_.c_str(); }

private:
    std::string space_;
};

/// The arguments of a factory: its layer "times" has one blob, of one number.
struct Given {
    std::vector<std::string> asked;
    Values numbers;
    DataType type = DataType::kINT32;
    std::string space;

    bool isPlugin(char const* layer) {
        asked.emplace_back(layer);
        return std::strcmp(layer, "times") == 0;
    }
    float take(Weights const* weights, int32_t count) {
        type = count > 0 ? weights[0].type : DataType::kINT32;
        for (int32_t i = 0; i < count && type == DataType::kFLOAT; ++i)
            numbers.insert(numbers.end(), static_cast<float const*>(weights[i].values),
                           static_cast<float const*>(weights[i].values) + weights[i].count);
        return numbers.empty() ? 1 : numbers[0];
    }
};

template <class Base, class Plugin> struct Factory : Base, Given {
    bool isPlugin(char const* layer) override { return Given::isPlugin(layer); }
    IPlugin* createPlugin(char const*, Weights const* weights, int32_t count) override {
        return plugins.emplace_back(std::make_unique<Plugin>(take(weights, count))).get();
    }
    std::deque<std::unique_ptr<Plugin>> plugins;
};
using FirstFactory = Factory<nvcaffeparser1::IPluginFactory, TimesV1>;
struct ExtFactory final : Factory<nvcaffeparser1::IPluginFactoryExt, TimesExt> {
    bool isPluginExt(char const*) override { return true; }
};

struct SecondFactory final : nvcaffeparser1::IPluginFactoryV2, Given {
    bool isPluginV2(char const* layer) override { return isPlugin(layer); }
    IPluginV2* createPlugin(char const*, Weights const* weights, int32_t count, char const* libNamespace) override {
        space = libNamespace;
        if (refuses) return nullptr;
        plugins.emplace_back(new TimesV2(take(weights, count)));
        return plugins.back().get();
    }
    bool refuses = false;
    std::deque<Owned<IPluginV2>> plugins;
};

class CaffeFactories : public OlderProgram {
protected:
    nvcaffeparser1::IBlobNameToTensor const* parse(std::string const& tops = "top: \"y\"",
                                                   DataType type = DataType::kFLOAT) {
        std::string const deploy = "input: \"x\" input_dim: 1 input_dim: 2 input_dim: 1 input_dim: 2 "
                                   "layer { name: \"relu\" type: \"ReLU\" bottom: \"x\" top: \"r\" } "
                                   "layer { name: \"times\" type: \"Times\" bottom: \"r\" " +
                                   tops + " blobs { shape { dim: 1 } data: " + number + " } }";
        return parser->parseBuffers(deploy.data(), deploy.size(), nullptr, 0, *network, type);
    }
    void expectTimes(Given const& factory) {
        auto const* const blobs = parse();
        ASSERT_NE(blobs, nullptr) << errors.last;
        EXPECT_EQ(factory.asked, (std::vector<std::string>{"relu", "times"}));
        EXPECT_EQ(factory.numbers, (Values{2.5F}));
        ITensor* const y = blobs->find("y");
        EXPECT_STREQ(y->getName(), "y");
        network->markOutput(*y);
        Owned<IBuilderConfig> config(builder->createBuilderConfig());
        Owned<ICudaEngine> const engine(builder->buildEngineWithConfig(*network, *config));
        ASSERT_NE(engine, nullptr) << errors.last;
        Owned<IExecutionContext> const context(engine->createExecutionContext());
        Values x{1, -2, 3, 4};
        Values found(4);
        void* bindings[]{x.data(), found.data()};
        ASSERT_TRUE(context->execute(1, bindings)) << errors.last;
        EXPECT_EQ(found, (Values{2.5F, 0, 7.5F, 10}));
    }

    std::string number = "2.5"; // that the plugin multiplies by
    Owned<ICaffeParser> parser{nvcaffeparser1::createCaffeParser()};
};

TEST_F(CaffeFactories, makePluginsOfTheFirstGeneration) {
    FirstFactory factory;
    parser->setPluginFactory(&factory);
    expectTimes(factory);
}

TEST_F(CaffeFactories, makePluginsWithFormats) {
    ExtFactory factory;
    parser->setPluginFactoryExt(&factory);
    expectTimes(factory);
}

TEST_F(CaffeFactories, makePluginsOfTheSecondGeneration) {
    SecondFactory factory;
    parser->setPluginFactoryV2(&factory);
    parser->setPluginNamespace("mine");
    expectTimes(factory);
    EXPECT_EQ(factory.space, "mine");
}

TEST_F(CaffeFactories, areGivenTheFilesWeightsWhateverTypeIsAskedFor) {
    SecondFactory factory;
    parser->setPluginFactoryV2(&factory);
    number = "1e5"; // exceeds float16
    EXPECT_NE(parse("top: \"y\"", DataType::kHALF), nullptr) << errors.last;
    EXPECT_EQ(factory.type, DataType::kFLOAT);
    EXPECT_EQ(factory.numbers, (Values{1e5F}));
    number = "nan";
    network.reset(builder->createNetworkV2(0));
    EXPECT_EQ(parse(), nullptr);
    EXPECT_EQ(errors.last,
              "ICaffeParser::parseBuffers: layer times (Times): blob 0: element 0 is NaN; expected numbers");
}

TEST_F(CaffeFactories, areAskedForInputs) {
    SecondFactory factory;
    parser->setPluginFactoryV2(&factory);
    std::string const deploy =
        "layer { name: \"data\" type: \"Input\" top: \"x\" input_param { shape { dim: 1 dim: 2 } } } "
        "layer { name: \"train\" type: \"ReLU\" bottom: \"x\" top: \"r\" include { phase: TRAIN } } "
        "layer { name: \"relu\" type: \"ReLU\" bottom: \"x\" top: \"r\" }";
    EXPECT_NE(parser->parseBuffers(deploy.data(), deploy.size(), nullptr, 0, *network, DataType::kFLOAT), nullptr);
    EXPECT_EQ(factory.asked, (std::vector<std::string>{"data", "relu"}));
}

// the second of two layers of one name
TEST_F(CaffeFactories, makeLayersOfNamesOfTheirOwn) {
    FirstFactory factory;
    parser->setPluginFactory(&factory);
    ASSERT_NE(parse("top: \"y\" } layer { name: \"times\" type: \"Times\" bottom: \"y\" top: \"z\""), nullptr)
        << errors.last;
    EXPECT_STREQ(network->getLayer(1)->getName(), "times");
    EXPECT_STREQ(network->getLayer(2)->getName(), "times_2");
}

TEST_F(CaffeFactories, thatMakeNothingOrTooLittleAreNamed) {
    SecondFactory factory;
    FirstFactory first;
    std::string const head = "ICaffeParser::parseBuffers: layer times (Times): ";
    parser->setPluginFactoryV2(&factory);
    EXPECT_EQ(parse("top: \"y\" top: \"z\""), nullptr);
    EXPECT_EQ(errors.last, head + "the plugin has 1 outputs; expected 2, one for each top");
    network.reset(builder->createNetworkV2(0));
    factory.refuses = true;
    EXPECT_EQ(parse(), nullptr);
    EXPECT_EQ(errors.last, head + "IPluginFactoryV2::createPlugin returned null; expected the plugin of this layer");
    network.reset(builder->createNetworkV2(0));
    parser->setPluginFactory(&first);
    EXPECT_EQ(parse(), nullptr);
    EXPECT_EQ(errors.last, head +
                               "the parser has a factory of the first and one of the second generation; expected one "
                               "of them");
    network.reset(builder->createNetworkV2(0));
    parser->setPluginFactory(nullptr);
    parser->setPluginFactoryV2(nullptr);
    EXPECT_EQ(parse(), nullptr);
    EXPECT_EQ(errors.last.find(head + "there is no layer of this type; a plugin factory"), 0U) << errors.last;
}

} // namespace
