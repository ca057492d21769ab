// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What only parsers of level 7 have.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "NvOnnxConfig.h"
#include "NvOnnxParser.h"
#include "NvOnnxParserRuntime.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace nvinfer1;

class Errors final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

struct Destroy {
    template <class T> void operator()(T* object) const { object->destroy(); }
};
template <class T> using Owned = std::unique_ptr<T, Destroy>;

/// As samples of that time derive from the class: what they override has no noexcept.
class OwnConfig final : public nvonnxparser::IOnnxConfig {
public:
    void setModelDtype(DataType const type) override { type_ = type; }
    DataType getModelDtype() const override { return type_; }
    char const* getModelFileName() const override { return "own.onnx"; }
    void setModelFileName(char const*) override {}
    Verbosity getVerbosityLevel() const override { return verbosity_; }
    void addVerbosity() override { ++verbosity_; }
    void reduceVerbosity() override { --verbosity_; }
    void setVerbosityLevel(Verbosity verbosity) override { verbosity_ = verbosity; }
    char const* getTextFileName() const override { return nullptr; }
    void setTextFileName(char const*) override {}
    char const* getFullTextFileName() const override { return nullptr; }
    void setFullTextFileName(char const*) override {}
    bool getPrintLayerInfo() const override { return false; }
    void setPrintLayerInfo(bool) override {}
    void destroy() override { delete this; }

private:
    DataType type_ = DataType::kFLOAT;
    Verbosity verbosity_ = 0;
};

TEST(OnnxParserOfLevel7, hasSettingsThatProgramsDeriveFrom) {
    nvonnxparser::IOnnxConfig* const config = new OwnConfig;
    config->addVerbosity();
    EXPECT_EQ(config->getVerbosityLevel(), 1);
    EXPECT_STREQ(config->getModelFileName(), "own.onnx");
    config->destroy();
}

TEST(OnnxParserOfLevel7, saysWhatItDoesNotTake) {
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    uint32_t const explicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
    Owned<INetworkDefinition> const network(builder->createNetworkV2(explicitBatch));
    Owned<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, errors));
    EXPECT_FALSE(parser->parseWithWeightDescriptors("model", 5, 1, nullptr));
    EXPECT_EQ(errors.last, "IParser::parseWithWeightDescriptors: not supported: weights in place of the model's; write "
                           "them into the model");
    EXPECT_FALSE(parser->parseWithWeightDescriptors("model", 5, 0, nullptr)); // which is no model
    EXPECT_EQ(parser->getNbErrors(), 1);
    EXPECT_EQ(parser->getRefitMap(nullptr, nullptr, nullptr), 0); // nothing was read
}

TEST(OnnxParserOfLevel7, hasAFactoryThatKnowsNoPlugin) {
    Errors errors;
    nvonnxparser::IPluginFactory* const factory = nvonnxparser::createPluginFactory(errors);
    ASSERT_NE(factory, nullptr);
    EXPECT_EQ(factory->createPlugin("relu", nullptr, 0), nullptr);
    EXPECT_EQ(errors.last,
              "nvonnxparser::IPluginFactory::createPlugin: layer relu: the parser puts no plugins of its own into "
              "networks; give the factory that knows this one");
    factory->destroy();
}

} // namespace
