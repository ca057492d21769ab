// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What there is of the safety runtime, in programs of level 8.

#undef TENON_LEVEL
#define TENON_LEVEL 8
#include "NvInferConsistency.h"
#include "NvInferSafeRuntime.h"

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

class SafeCreator : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return "OfTheSafetyRuntime"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    IPluginV2* createPlugin(char const*, PluginFieldCollection const*) noexcept override { return nullptr; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override { return nullptr; }
    void setPluginNamespace(char const*) noexcept override {}
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    PluginFieldCollection fields_{0, nullptr};
};
REGISTER_SAFE_TENSORRT_PLUGIN(SafeCreator);

TEST(SafeRuntime, saysThatThereAreNoEnginesForIt) {
    Errors errors;
    std::unique_ptr<safe::IRuntime> const runtime(safe::createInferRuntime(errors));
    EXPECT_EQ(runtime->deserializeCudaEngine("engine", 6), nullptr);
    EXPECT_EQ(errors.last, "safe::IRuntime::deserializeCudaEngine: not supported: engines of the safety runtime; build "
                           "for EngineCapability::kSTANDARD and read with nvinfer1::createInferRuntime()");
    std::unique_ptr<consistency::IConsistencyChecker> const checker(
        consistency::createConsistencyChecker(errors, "engine", 6));
    EXPECT_FALSE(checker->validate());
    EXPECT_EQ(errors.last, "IConsistencyChecker::validate: the engine was not built with EngineCapability::kSAFETY, "
                           "which is not supported");
}

TEST(SafeRuntime, sharesTheCommonRegistry) {
    IPluginCreator* const registered = safe::getSafePluginRegistry()->getPluginCreator("OfTheSafetyRuntime", "1", "");
    ASSERT_NE(registered, nullptr);
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("OfTheSafetyRuntime", "1", ""), registered);
    EXPECT_TRUE(safe::getSafePluginRegistry()->deregisterCreator(*registered));
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("OfTheSafetyRuntime", "1", ""), nullptr);
}

} // namespace
