// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Registries as programs use them. Libraries of plugins are in tests/plugin_library.

#include "base/text.h"
#include "support/api.h"
#include "support/api_plugins.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::KeepAboveV3Creator;
using test::Messages;
using test::Registered;
using test::TimesV2Creator;

struct Program {
    Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    std::unique_ptr<IBuilder> builder{createInferBuilder(messages)};
    IPluginRegistry& ofRuntime = runtime->getPluginRegistry();
    IPluginRegistry& ofBuilder = builder->getPluginRegistry();
};

/// The creators that a registry lists, alone or with those above it.
std::vector<IPluginCreatorInterface*> listOf(IPluginRegistry& registry, bool recursively) {
    int32_t count = -1;
    auto* const* const all = recursively ? registry.getAllCreatorsRecursive(&count) : registry.getAllCreators(&count);
    EXPECT_EQ(all == nullptr, count == 0);
    return {all, all + count};
}

bool contains(std::vector<IPluginCreatorInterface*> const& all, IPluginCreatorInterface const& one) {
    return std::ranges::find(all, &one) != all.end();
}

TEST(PluginRegistry, listsNullWhereItHasNothing) {
    Program p;
    p.ofRuntime.setParentSearchEnabled(false);
    int32_t count = -1;
    EXPECT_EQ(p.ofRuntime.getPluginCreatorList(&count), nullptr);
    EXPECT_EQ(count, 0);
    EXPECT_TRUE(listOf(p.ofRuntime, false).empty());
    EXPECT_TRUE(listOf(p.ofRuntime, true).empty());
    TimesV2Creator creator;
    ASSERT_TRUE(p.ofRuntime.registerCreator(creator, ""));
    EXPECT_EQ(listOf(p.ofRuntime, false).size(), 1U);
    EXPECT_EQ(p.ofRuntime.getPluginCreatorList(&count)[0], &creator);
    EXPECT_TRUE(p.ofRuntime.deregisterCreator(creator));
    EXPECT_EQ(p.ofRuntime.getPluginCreatorList(&count), nullptr); // nor after it had something
}

TEST(PluginRegistry, listsThoseAboveItWhileItSearchesThere) {
    Registered<TimesV2Creator> global;
    Program p;
    KeepAboveV3Creator own;
    ASSERT_TRUE(p.ofRuntime.registerCreator(own, "tests"));
    EXPECT_TRUE(p.ofRuntime.isParentSearchEnabled());
    EXPECT_EQ(listOf(p.ofRuntime, false), std::vector<IPluginCreatorInterface*>{&own});
    EXPECT_TRUE(contains(listOf(p.ofRuntime, true), own) && contains(listOf(p.ofRuntime, true), global.creator));
    p.ofRuntime.setParentSearchEnabled(false);
    EXPECT_FALSE(p.ofRuntime.isParentSearchEnabled());
    EXPECT_EQ(listOf(p.ofRuntime, true), std::vector<IPluginCreatorInterface*>{&own});
    EXPECT_TRUE(p.ofBuilder.isParentSearchEnabled()); // each registry decides for itself
}

TEST(PluginRegistry, ofABuilderIsNotARuntimes) {
    Program p;
    TimesV2Creator ofBuilder;
    TimesV2Creator ofRuntime;
    ASSERT_TRUE(p.ofBuilder.registerCreator(ofBuilder, ""));
    EXPECT_EQ(p.ofRuntime.getCreator("TimesV2", "1"), nullptr);
    ASSERT_TRUE(p.ofRuntime.registerCreator(ofRuntime, "")); // the same name, elsewhere
    EXPECT_EQ(p.ofBuilder.getPluginCreator("TimesV2", "1"), &ofBuilder);
    EXPECT_EQ(p.ofRuntime.getPluginCreator("TimesV2", "1"), &ofRuntime);
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("TimesV2", "1"), nullptr);
    EXPECT_FALSE(p.ofBuilder.deregisterCreator(ofRuntime)); // which does not exist
    EXPECT_EQ(p.messages.lastError(), "deregisterCreator: the creator is not registered");
    EXPECT_EQ(p.ofRuntime.getPluginCreator("TimesV2", "1"), &ofRuntime);
}

TEST(PluginRegistry, takesACreatorAgainThatWasTakenOut) {
    Program p;
    KeepAboveV3Creator creator;
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(p.ofRuntime.registerCreator(creator, "mine"));
        EXPECT_EQ(p.ofRuntime.getCreator("KeepAboveV3", "2", "mine"), &creator);
        EXPECT_FALSE(p.ofRuntime.registerCreator(creator, "mine"));
        EXPECT_TRUE(p.ofRuntime.deregisterCreator(creator));
        EXPECT_EQ(p.ofRuntime.getCreator("KeepAboveV3", "2", "mine"), nullptr);
    }
}

TEST(PluginRegistry, namesWhatIsNull) {
    Program p;
    TimesV2Creator creator;
    EXPECT_FALSE(p.ofRuntime.registerCreator(creator, nullptr));
    EXPECT_EQ(p.messages.lastError(), "registerCreator: pluginNamespace is null");
    EXPECT_EQ(p.ofRuntime.getCreator(nullptr, "1"), nullptr);
    EXPECT_EQ(p.messages.lastError(), "getCreator: pluginName is null");
    EXPECT_EQ(p.ofRuntime.getPluginCreator("TimesV2", nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "getPluginCreator: pluginVersion is null");
    EXPECT_EQ(p.ofRuntime.getAllCreators(nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "getAllCreators: numCreators is null");
    EXPECT_EQ(p.ofRuntime.getAllCreatorsRecursive(nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "getAllCreatorsRecursive: numCreators is null");
    EXPECT_EQ(p.ofRuntime.getPluginCreatorList(nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "getPluginCreatorList: numCreators is null");
    EXPECT_EQ(p.ofRuntime.loadLibrary(nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "loadLibrary: pluginPath is null");
    EXPECT_EQ(p.ofRuntime.acquirePluginResource(nullptr, nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "acquirePluginResource: key is null");
}

class NamelessCreator final : public TimesV2Creator {
public:
    char const* getPluginName() const override { return ""; }
};

class UnknownCreator final : public TimesV2Creator {
public:
    InterfaceInfo getInterfaceInfo() const override { return {"PLUGIN CREATOR_V9", 1, 0}; }
};

TEST(PluginRegistry, refusesCreatorsThatItCannotFindAgain) {
    Program p;
    NamelessCreator nameless;
    EXPECT_FALSE(p.ofRuntime.registerCreator(nameless, ""));
    EXPECT_EQ(p.messages.lastError(), "registerCreator: a plugin creator without a name cannot be registered");
    UnknownCreator unknown;
    EXPECT_FALSE(p.ofRuntime.registerCreator(unknown, ""));
    EXPECT_NE(
        p.messages.lastError().find("registerCreator: a plugin creator is of the kind PLUGIN CREATOR_V9; expected"),
        std::string::npos)
        << p.messages.lastError();
}

class Recorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const override { return static_cast<int32_t>(texts.size()); }
    ErrorCode getErrorCode(int32_t) const override { return ErrorCode::kSUCCESS; }
    ErrorDesc getErrorDesc(int32_t index) const override { return texts[static_cast<size_t>(index)].c_str(); }
    bool hasOverflowed() const override { return false; }
    void clear() override { texts.clear(); }
    bool reportError(ErrorCode, ErrorDesc desc) override { return texts.emplace_back(desc), true; }
    RefCount incRefCount() override { return ++users; }
    RefCount decRefCount() override { return --users; }

    std::vector<std::string> texts;
    RefCount users = 0;
};

TEST(PluginRegistry, tellsItsRecorder) {
    Program p;
    Recorder recorder;
    EXPECT_EQ(p.ofRuntime.getErrorRecorder(), nullptr);
    p.ofRuntime.setErrorRecorder(&recorder);
    EXPECT_EQ(p.ofRuntime.getErrorRecorder(), &recorder);
    EXPECT_GE(recorder.users, 1);
    TimesV2Creator creator;
    EXPECT_FALSE(p.ofRuntime.deregisterCreator(creator));
    EXPECT_EQ(recorder.texts, std::vector<std::string>{"deregisterCreator: the creator is not registered"});
    EXPECT_FALSE(p.ofBuilder.deregisterCreator(creator)); // another registry
    EXPECT_EQ(recorder.texts.size(), 1U);
    p.ofRuntime.setErrorRecorder(nullptr);
    EXPECT_EQ(p.ofRuntime.getErrorRecorder(), nullptr);
    EXPECT_EQ(recorder.users, 0);
    EXPECT_FALSE(p.ofRuntime.deregisterCreator(creator));
    EXPECT_EQ(recorder.texts.size(), 1U);
}

/// A resource that cannot be cloned, or not be released.
class BadResource final : public IPluginResource {
public:
    explicit BadResource(bool clones) : clones_(clones) {}
    int32_t release() override { return 5; }
    IPluginResource* clone() override { return clones_ ? std::make_unique<BadResource>(true).release() : nullptr; }

private:
    bool clones_;
};

TEST(PluginRegistry, namesAResourceThatFails) {
    Program p;
    BadResource notCloned(false);
    EXPECT_EQ(p.ofRuntime.acquirePluginResource("table", &notCloned), nullptr);
    EXPECT_EQ(p.messages.lastError(), "acquirePluginResource: resource table: clone returned null");
    BadResource notReleased(true);
    EXPECT_NE(p.ofRuntime.acquirePluginResource("table", &notReleased), nullptr);
    EXPECT_NE(p.ofRuntime.releasePluginResource("table"), 0);
    EXPECT_EQ(p.messages.lastError(), "releasePluginResource: resource table: release returned 5; expected 0");
    EXPECT_EQ(p.ofRuntime.acquirePluginResource("table", nullptr), nullptr);
    EXPECT_EQ(p.messages.lastError(), "acquirePluginResource: there is no resource table yet, and none is given");
}

/// Sleeps for a while, and records when it is done.
struct SlowCreator final : TimesV2Creator {
    IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) override {
        hasBegun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        IPluginV2* const made = TimesV2Creator::deserializePlugin(name, data, length);
        hasEnded = true;
        return made;
    }

    std::atomic<bool> hasBegun = false, hasEnded = false;
};

TEST(PluginRegistry, takesNoCreatorOutThatAnotherThreadUses) {
    test::Defining d;
    SlowCreator creator;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, ""));
    test::TimesV2 plugin(3);
    ITensor* inputs[]{&d.input("x", {4})};
    d.output(d.network->addPluginV2(inputs, 1, plugin)->getOutput(0));
    auto const plan = d.build();
    creator.hasBegun = creator.hasEnded = false;
    Program p;
    std::thread reading([&] { delete p.runtime->deserializeCudaEngine(plan->data(), plan->size()); });
    while (!creator.hasBegun) std::this_thread::yield();
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(creator));
    EXPECT_TRUE(creator.hasEnded);
    reading.join();
}

TEST(PluginRegistry, takesACreatorOutThatDoesItItself) {
    struct Leaving final : TimesV2Creator {
        IPluginV2* deserializePlugin(char const* name, void const* data, size_t length) override {
            EXPECT_TRUE(getPluginRegistry()->deregisterCreator(*this));
            return TimesV2Creator::deserializePlugin(name, data, length);
        }
    };
    test::Defining d;
    test::TimesV2 plugin(3);
    ITensor* inputs[]{&d.input("x", {4})};
    d.output(d.network->addPluginV2(inputs, 1, plugin)->getOutput(0));
    std::unique_ptr<IHostMemory> plan;
    {
        Registered<TimesV2Creator> creator;
        plan = d.build();
    }
    Leaving creator;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(creator, ""));
    Program p;
    std::unique_ptr<ICudaEngine> const engine(p.runtime->deserializeCudaEngine(plan->data(), plan->size()));
    EXPECT_TRUE(engine) << p.messages.lastError();
}

} // namespace
} // namespace tenon
