// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include <dlfcn.h>
#include <filesystem>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Messages;

std::string real(char const* path) { return std::filesystem::canonical(path).string(); }

/// The messages of an application that makes a builder and a runtime.
std::vector<std::string> warningsOfAProgram() {
    Messages messages;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(messages));
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    EXPECT_TRUE(builder && runtime) << messages.lastError();
    EXPECT_TRUE(messages.errors.empty()) << messages.lastError();
    return messages.warnings;
}

std::string onlyOne(std::vector<std::string> const& warnings) {
    EXPECT_EQ(warnings.size(), 1U);
    return warnings.empty() ? "" : warnings[0];
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

TEST(MixedLibraries, aProgramWithTenonAloneHearsNothing) {
    EXPECT_EQ(warningsOfAProgram(), std::vector<std::string>());
}

TEST(MixedLibraries, anotherVendorsIsNamedOnce) {
    void* const other = dlopen(kOtherVendor, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(other, nullptr) << dlerror();
    std::string const warning = onlyOne(warningsOfAProgram());
    EXPECT_TRUE(contains(warning, "two libraries of this API are in this process: Tenon (" + real("/proc/self/exe")))
        << warning;
    EXPECT_TRUE(contains(warning, real(kOtherVendor) + ", which looks like NVIDIA's")) << warning;
    EXPECT_EQ(warningsOfAProgram(), std::vector<std::string>());
    dlclose(other);
}

/// y = relu(x) by a library of the API.
std::vector<float> computeBy(void* library, Messages& messages) {
    auto* const create =
        reinterpret_cast<decltype(&createInferBuilder_INTERNAL)>(dlsym(library, "createInferBuilder_INTERNAL"));
    std::unique_ptr<IBuilder> const builder(static_cast<IBuilder*>(create(&messages, NV_TENSORRT_VERSION)));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims{1, {3}});
    ITensor* const y = network->addActivation(*x, ActivationType::kRELU)->getOutput(0);
    y->setName("y");
    network->markOutput(*y);
    std::unique_ptr<ICudaEngine> const engine(builder->buildEngineWithConfig(*network, *config));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::vector<float> in{-1, 0, 2};
    std::vector<float> out(3);
    context->setTensorAddress("x", in.data());
    context->setTensorAddress("y", out.data());
    EXPECT_TRUE(context->enqueueV3(nullptr)) << messages.lastError();
    return out;
}

TEST(MixedLibraries, aSecondTenonIsNamedAndBothWork) {
    void* const second = dlopen(kTenon, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(second, nullptr) << dlerror();
    std::string const own = onlyOne(warningsOfAProgram());
    EXPECT_TRUE(
        contains(own, "two copies of Tenon are in this process: " + real("/proc/self/exe") + " and " + real(kTenon)))
        << own;
    Messages ofSecond;
    EXPECT_EQ(computeBy(second, ofSecond), (std::vector<float>{0, 0, 2}));
    EXPECT_TRUE(contains(onlyOne(ofSecond.warnings), real(kTenon) + " and " + real("/proc/self/exe")));
    Messages ofFirst;
    EXPECT_EQ(computeBy(dlopen(nullptr, RTLD_NOW), ofFirst), (std::vector<float>{0, 0, 2}));
    EXPECT_TRUE(ofFirst.errors.empty() && ofSecond.errors.empty());
}

} // namespace
} // namespace tenon
