// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <NvInferRuntime.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace nvinfer1;

class Errors final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING) text += std::string(message) + '\n';
    }
    std::string text;
};

bool isLoaded() { return dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD) != nullptr; }

TEST(LibraryOnTheBase, listsAndRegistersAndCanBeUnloaded) {
    Errors errors;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(errors));
    IPluginRegistry& registry = runtime->getPluginRegistry();
    for (int round = 0; round < 2; ++round) {
        auto const handle = registry.loadLibrary(kLibrary);
        ASSERT_NE(handle, nullptr) << errors.text;
        EXPECT_NE(registry.getCreator("ListedOnBase", "1"), nullptr);
        EXPECT_EQ(getPluginRegistry()->getCreator("ListedOnBase", "1"), nullptr);
        EXPECT_NE(getPluginRegistry()->getCreator("RegisteredOnBase", "1"), nullptr);
        registry.deregisterLibrary(handle);
        EXPECT_EQ(registry.getCreator("ListedOnBase", "1"), nullptr);
        EXPECT_EQ(getPluginRegistry()->getCreator("RegisteredOnBase", "1"), nullptr);
        EXPECT_FALSE(isLoaded());
    }
    EXPECT_EQ(errors.text, "");
}

TEST(LibraryOnTheBase, canBeLoadedForTheWholeProcess) {
    IPluginRegistry& registry = *getPluginRegistry();
    auto const handle = registry.loadLibrary(kLibrary);
    ASSERT_NE(handle, nullptr);
    EXPECT_NE(registry.getCreator("ListedOnBase", "1"), nullptr);
    registry.deregisterLibrary(handle);
    EXPECT_EQ(registry.getCreator("ListedOnBase", "1"), nullptr);
    EXPECT_FALSE(isLoaded());
}

} // namespace
