// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "NvOnnxParser.h"
#include "base/text.h"
#include "one_plugin.h"
#include "support/api.h"
#include "tenon/device.h"
#include "tenon/plugin.h"

#include <future>
#include <thread>

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

TEST(PluginLibrary, ofAnotherLevelFindsTheProgramsLogger) {
    Program p;
    for (auto const& [library, name] :
         {std::pair(finding_plugins_of_8, "FindingAtLevel8"), std::pair(finding_plugins_of_11, "FindingAtLevel11")}) {
        p.messages.warnings.clear();
        ASSERT_NE(p.own.loadLibrary(library), nullptr) << p.messages.lastError();
        EXPECT_EQ(p.messages.warnings, std::vector<std::string>{name});
        EXPECT_NE(p.own.getCreator(name, "1"), nullptr);
    }
}

TEST(PluginLibrary, registersByItselfAndIsTakenOutAgain) {
    Program p;
    for (int round = 0; round < 2; ++round) { // again: nothing of the first time is left
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

TEST(PluginLibrary, thatListsNoneIsLoadedWithAWarningThatSaysSo) {
    Program p;
    EXPECT_NE(p.own.loadLibrary(listing_none_plugins), nullptr);
    EXPECT_EQ(p.messages.warnings,
              (std::vector<std::string>{
                  text(listing_none_plugins, ": the library registers no plugin, and its getCreators returned none")}));
}

TEST(PluginLibrary, builtAgainstOtherHeadersIsRecognized) {
    Program p;
    EXPECT_EQ(p.own.loadLibrary(foreign_plugins), nullptr);
    EXPECT_NE(p.messages.lastError().find("undefined symbol: getPluginRegistry. The library was built against NVIDIA's "
                                          "headers of this API"),
              std::string::npos)
        << p.messages.lastError();
}

TEST(PluginLibrary, isLoadedOnceByARegistry) {
    Program p;
    for (char const* library : {listed_plugins, registering_plugins}) {
        auto* const handle = p.own.loadLibrary(library);
        ASSERT_NE(handle, nullptr) << p.messages.lastError();
        EXPECT_EQ(p.own.loadLibrary(library), nullptr);
        EXPECT_EQ(p.messages.lastError(), text("loadLibrary: ", library, ": is loaded already; deregister it first"));
        p.own.deregisterLibrary(handle);
    }
    EXPECT_EQ(p.own.getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_EQ(p.own.getCreator("RegisteredByItself", "1"), nullptr);
}

TEST(PluginLibrary, ofAPluginThatIsRegisteredAlreadyIsRefusedWhole) {
    Program p;
    static char const* const kTaken = "ListedByGetPluginCreators";
    Creator<kTaken> mine;
    ASSERT_TRUE(p.own.registerCreator(mine, ""));
    EXPECT_EQ(p.own.loadLibrary(listed_plugins), nullptr);
    EXPECT_EQ(p.messages.lastError().find(text("loadLibrary: ", listed_plugins, ": plugin ", kTaken,
                                               ", version 1, namespace \"\": is registered already, from ")),
              0U)
        << p.messages.lastError();
    EXPECT_EQ(p.own.getCreator("ListedByGetCreators", "1"), nullptr); // its other listed creators have been removed too
    EXPECT_EQ(p.own.getCreator(kTaken, "1"), &mine);
    Program other; // whose registry has no such plugin
    EXPECT_NE(other.own.loadLibrary(listed_plugins), nullptr) << other.messages.lastError();
}

TEST(PluginLibrary, thatRegistersByItselfWhatIsRegisteredAlreadyIsRefused) {
    Program p;
    static char const* const kTaken = "RegisteredByItself";
    Creator<kTaken> mine;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(mine, ""));
    EXPECT_EQ(p.own.loadLibrary(registering_plugins), nullptr);
    EXPECT_EQ(p.messages.errors.size(), 1U);
    EXPECT_EQ(p.messages.lastError().find(text("loadLibrary: ", registering_plugins, ": plugin ", kTaken,
                                               ", version 1, namespace \"\": is registered already, from ")),
              0U)
        << p.messages.lastError();
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(mine));
    EXPECT_EQ(getPluginRegistry()->getCreator(kTaken, "1"), nullptr);
}

TEST(PluginLibrary, thatRegistersByItselfStaysWhileARegistryHasIt) {
    Program first;
    Program second;
    auto* const one = first.own.loadLibrary(registering_plugins);
    auto* const two = second.own.loadLibrary(registering_plugins);
    ASSERT_TRUE(one && two) << second.messages.lastError();
    first.own.deregisterLibrary(one);
    EXPECT_NE(second.own.getCreator("RegisteredByItself", "1"), nullptr);
    second.own.deregisterLibrary(two);
    EXPECT_EQ(second.own.getCreator("RegisteredByItself", "1"), nullptr);
    EXPECT_TRUE(second.messages.warnings.empty() && second.messages.errors.empty());
}

TEST(PluginLibrary, mayRegisterByItselfWhatItLists) {
    Program p;
    auto* const handle = p.own.loadLibrary(twice_plugins);
    ASSERT_NE(handle, nullptr) << p.messages.lastError();
    int32_t count = -1;
    EXPECT_EQ(p.own.getAllCreators(&count), nullptr); // registered globally, once
    EXPECT_NE(p.own.getCreator("RegisteredAndListed", "1"), nullptr);
    p.own.deregisterLibrary(handle);
    EXPECT_EQ(p.own.getCreator("RegisteredAndListed", "1"), nullptr);
}

TEST(PluginLibrary, doesNotListWhatALibraryListsThatItNeeds) {
    Program p;
    auto* const handle = p.own.loadLibrary(needing_plugins);
    ASSERT_NE(handle, nullptr) << p.messages.lastError();
    EXPECT_NE(p.own.getCreator("NeedsAnother", "1"), nullptr);
    EXPECT_EQ(p.own.getCreator("ListedByGetCreators", "1"), nullptr);
    p.own.deregisterLibrary(handle);
    EXPECT_EQ(p.own.getCreator("NeedsAnother", "1"), nullptr);
}

TEST(PluginLibrary, ofABuilderIsNotARuntimes) {
    Program p;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(p.messages));
    IPluginRegistry& ofBuilder = builder->getPluginRegistry();
    auto* const handle = ofBuilder.loadLibrary(listed_plugins);
    ASSERT_NE(handle, nullptr) << p.messages.lastError();
    EXPECT_NE(ofBuilder.getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_EQ(p.own.getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_EQ(getPluginRegistry()->getCreator("ListedByGetCreators", "1"), nullptr);
    p.own.deregisterLibrary(handle);
    EXPECT_EQ(p.messages.lastError(), "deregisterLibrary: no library with this handle is loaded");
    ofBuilder.deregisterLibrary(handle);
}

// y = Triple(x), of opset 2 of com.example
constexpr std::string_view kTriple = R"(
ir_version: 8
graph {
  name: "g"
  node { input: "x" output: "y" op_type: "Triple" domain: "com.example" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
opset_import { version: 13 }
opset_import { domain: "com.example" version: 2 }
)";

TEST(PluginLibrary, bringsImportersOfOnnxNodesAndTakesThemWithIt) {
    Program p;
    for (char const* const library : {importing_plugins, importing_plugins_of_7, importing_plugins}) {
        auto* const handle = p.own.loadLibrary(library);
        ASSERT_NE(handle, nullptr) << p.messages.lastError();
        EXPECT_TRUE(p.messages.warnings.empty()) << p.messages.warnings[0];
        test::Defining d;
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        ASSERT_TRUE(parser->parse(kTriple.data(), kTriple.size())) << d.messages.lastError();
        int64_t count = 0;
        char const* const* const libraries = parser->getUsedVCPluginLibraries(count);
        ASSERT_EQ(count, 1);
        EXPECT_STREQ(libraries[0], library);
        p.own.deregisterLibrary(handle);
        test::Defining without; // as long as the network that was made with it exists
        std::unique_ptr<nvonnxparser::IParser> const late(
            nvonnxparser::createParser(*without.network, without.messages));
        EXPECT_FALSE(late->parse(kTriple.data(), kTriple.size()));
        EXPECT_NE(without.messages.lastError().find("there is no importer"), std::string::npos);
        EXPECT_EQ(test::Running(*d.build()).run({1, 2}, 2), (std::vector<float>{3, 6}));
    }
}

std::promise<void> isCalled;
std::promise<void> isClosed;
void waitUntilClosed() {
    isCalled.set_value();
    isClosed.get_future().wait();
}

TEST(PluginLibrary, staysUntilItsImporterReturns) {
    Program p;
    auto* const handle = p.own.loadLibrary(importing_plugins);
    ASSERT_NE(handle, nullptr) << p.messages.lastError();
    std::string const attribute =
        text("attribute { name: \"first\" type: STRING s: \"", reinterpret_cast<uintptr_t>(&waitUntilClosed), "\" }");
    std::string model(kTriple);
    model.insert(model.find("op_type"), attribute + ' ');
    bool isRead = false;
    std::thread reading([&] {
        test::Defining d;
        std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
        isRead = parser->parse(model.data(), model.size());
    });
    isCalled.get_future().wait();
    p.own.deregisterLibrary(handle);
    isClosed.set_value();
    reading.join();
    EXPECT_TRUE(isRead);
    test::Defining d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    EXPECT_FALSE(parser->supportsOperator("Triple")); // unloaded with the call
}

TEST(PluginLibrary, thatRegistersTwoImportersForOneOpsetIsRefused) {
    Program p;
    EXPECT_EQ(p.own.loadLibrary(importing_twice_plugins), nullptr);
    EXPECT_EQ(p.messages.lastError(), text("loadLibrary: ", importing_twice_plugins,
                                           ": importer of Triple, domain com.example, opsets 3 to 4: ",
                                           "libimporting_twice_plugins.so has registered one for opsets 1 to 3 "
                                           "already; register one of them, or use different opsets"));
    test::Defining d;
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*d.network, d.messages));
    EXPECT_FALSE(parser->supportsOperator("Triple"));
}

TEST(PluginLibrary, ofImportersMayGoIntoAnEngineWhichHasNoUseForThem) {
    test::Defining d;
    IPluginRegistry& registry = d.builder->getPluginRegistry();
    auto* const handle = registry.loadLibrary(importing_plugins);
    ASSERT_NE(handle, nullptr) << d.messages.lastError();
    std::unique_ptr<nvonnxparser::IParser> parser(nvonnxparser::createParser(*d.network, d.messages));
    ASSERT_TRUE(parser->parse(kTriple.data(), kTriple.size())) << d.messages.lastError();
    char const* const library = importing_plugins;
    d.config->setPluginsToSerialize(&library, 1);
    auto const file = d.build();
    ASSERT_NE(file, nullptr);
    registry.deregisterLibrary(handle);
    Program p;
    p.runtime->setEngineHostCodeAllowed(true);
    std::unique_ptr<ICudaEngine> const engine(p.runtime->deserializeCudaEngine(file->data(), file->size()));
    EXPECT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_FALSE(parser->supportsOperator("Triple"));
}

/// A network of one plugin from a library that holds code for GPUs.
struct BesideDeviceCode : testing::Test {
    void SetUp() override { ASSERT_EQ(setDevice("cpu"), nullptr); }
    void TearDown() override {
        unsetenv("TENON_CPU_PLUGINS");
        d.reset(); // its network has a plugin of the library
        runtime->getPluginRegistry().deregisterLibrary(library);
    }

    /// Null with an error if the plugin is refused.
    std::unique_ptr<IHostMemory> build() {
        d = std::make_unique<test::Defining>();
        auto* creator = static_cast<IPluginCreator*>(getPluginRegistry()->getCreator("BesideDeviceCode", "1"));
        IPluginV2* const plugin = creator->createPlugin("plugin", nullptr);
        ITensor* x = &d->input("x", {2});
        IPluginV2Layer* const layer = d->network->addPluginV2(&x, 1, *plugin);
        plugin->destroy();
        layer->setName("tripled");
        d->output(layer->getOutput(0));
        return std::unique_ptr<IHostMemory>(d->builder->buildSerializedNetwork(*d->network, *d->config));
    }

    test::Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    IPluginRegistry::PluginLibraryHandle library = runtime->getPluginRegistry().loadLibrary(device_code_plugins);
    std::unique_ptr<test::Defining> d;
};

std::string refusalBy(std::string_view method) {
    return text(method, ": tripled (Plugin): the plugin does not declare its devices, and ", device_code_plugins,
                " holds code for GPUs, so it gets no host memory. If it computes on the CPU, declare it with "
                "tenon::setPluginDevices() or TENON_CPU_PLUGINS=BesideDeviceCode; else build the engine with "
                "TENON_DEVICE=cuda");
}

TEST_F(BesideDeviceCode, aPluginIsNotGivenHostMemoryUnasked) {
    EXPECT_EQ(build(), nullptr);
    EXPECT_EQ(d->messages.lastError(), refusalBy("buildSerializedNetwork"));
}

TEST_F(BesideDeviceCode, aPluginThatIsNamedRunsOnTheCpuWhereverItIsNamed) {
    setenv("TENON_CPU_PLUGINS", "Another,BesideDeviceCode", 1);
    auto const file = build();
    ASSERT_NE(file, nullptr) << d->messages.lastError();
    EXPECT_EQ(test::Running(*file).run({1, 2}, 2), (std::vector<float>{3, 6}));
    setenv("TENON_CPU_PLUGINS", "Another", 1);
    EXPECT_EQ(runtime->deserializeCudaEngine(file->data(), file->size()), nullptr);
    EXPECT_EQ(messages.lastError(), refusalBy("deserializeCudaEngine"));
}

TEST_F(BesideDeviceCode, aPluginThatIsDeclaredRunsOnTheCpu) {
    EXPECT_EQ(setPluginDevices("BesideDeviceCode", "1", "", PluginDevices::kBOTH), nullptr);
    auto const file = build();
    ASSERT_NE(file, nullptr) << d->messages.lastError();
    EXPECT_EQ(test::Running(*file).run({1, 2}, 2), (std::vector<float>{3, 6}));
}

} // namespace
} // namespace tenon
