// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;

struct Program {
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    IPluginRegistry& own = runtime->getPluginRegistry();
};

TEST(PluginLibrary, bringsTheCreatorsThatItLists) {
    Program p;
    auto* handle = p.own.loadLibrary(listed_plugins);
    ASSERT_NE(handle, nullptr) << p.messages.lastError();
    EXPECT_NE(p.own.getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_NE(p.own.getPluginCreator("ListedByGetPluginCreators", "1"), nullptr);
    EXPECT_EQ(getPluginRegistry()->getCreator("ListedByGetCreators", "1"), nullptr); // only in that registry
    EXPECT_EQ(p.messages.warnings, (std::vector<std::string>{"listed_plugins is here"}));
    p.own.deregisterLibrary(handle);
    EXPECT_EQ(p.own.getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_TRUE(p.messages.errors.empty()) << p.messages.lastError();
}

TEST(PluginLibrary, registersByItselfAndIsTakenOutAgain) {
    Program p;
    for (int round = 0; round < 2; ++round) { // once more: nothing of the first time is left behind
        auto* handle = p.own.loadLibrary(registering_plugins);
        ASSERT_NE(handle, nullptr) << p.messages.lastError();
        EXPECT_NE(getPluginRegistry()->getCreator("RegisteredByItself", "1"), nullptr);
        p.own.deregisterLibrary(handle);
        EXPECT_EQ(getPluginRegistry()->getCreator("RegisteredByItself", "1"), nullptr);
    }
    EXPECT_TRUE(p.messages.errors.empty()) << p.messages.lastError();
}

TEST(PluginLibrary, withoutPluginsIsLoadedWithAWarning) {
    Program p;
    EXPECT_NE(p.own.loadLibrary(empty_plugins), nullptr);
    ASSERT_EQ(p.messages.warnings.size(), 1U);
    EXPECT_NE(p.messages.warnings[0].find("registers no plugin"), std::string::npos);
}

TEST(PluginLibrary, builtAgainstOtherHeadersIsRecognized) {
    Program p;
    EXPECT_EQ(p.own.loadLibrary(foreign_plugins), nullptr);
    EXPECT_NE(p.messages.lastError().find("undefined symbol: getPluginRegistry. The library was built against NVIDIA's "
                                          "headers of this API"),
              std::string::npos)
        << p.messages.lastError();
}

} // namespace
} // namespace tenon
