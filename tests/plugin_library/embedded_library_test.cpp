// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugin libraries that are embedded in an engine and extracted from it.

#include "base/text.h"
#include "support/api.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tenon {
namespace {

using namespace nvinfer1;
namespace fs = std::filesystem;
using test::Messages;

using Floats = std::vector<float>;
using Bytes = std::vector<char>;

std::string nameOf(char const* library) { return fs::path(library).filename().string(); }

/// y = 3 x by a plugin of a library, which the engine embeds.
struct Embedding : test::Defining {
    explicit Embedding(char const* library, char const* plugin) {
        handle = builder->getPluginRegistry().loadLibrary(library);
        auto* const creator = static_cast<IPluginCreator*>(builder->getPluginRegistry().getCreator(plugin, "1"));
        IPluginV2* const made = creator->createPlugin("plugin", nullptr);
        ITensor* x = &input("x", {2});
        output(network->addPluginV2(&x, 1, *made)->getOutput(0));
        made->destroy();
        config->setPluginsToSerialize(&library, 1);
    }
    ~Embedding() { // so that the engine's copy is the only one
        network.reset();
        builder->getPluginRegistry().deregisterLibrary(handle);
    }
    void* handle;
};

Bytes engineWith(char const* library, char const* plugin) {
    auto const file = Embedding(library, plugin).build();
    auto const* const begin = static_cast<char const*>(file->data());
    return Bytes(begin, begin + file->size());
}

/// An engine that embeds the library of `TimesThree`.
Bytes const& engineFile() {
    static Bytes const file = engineWith(times_plugins, "TimesThree");
    return file;
}

struct Program {
    explicit Program(bool allowed = true) { runtime->setEngineHostCodeAllowed(allowed); }
    std::unique_ptr<ICudaEngine> load(Bytes const& file) {
        return std::unique_ptr<ICudaEngine>(runtime->deserializeCudaEngine(file.data(), file.size()));
    }

    Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
};

Floats runOf(ICudaEngine& engine) {
    std::unique_ptr<IExecutionContext> const context(engine.createExecutionContext());
    Floats x{1, 2};
    Floats y(2);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    return y;
}

bool isMapped(std::string const& name) {
    std::ifstream maps("/proc/self/maps");
    std::string const all((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
    return all.find(name) != std::string::npos;
}

/// An empty folder for the test.
struct Folder {
    Folder() {
        std::string name = fs::temp_directory_path().string() + "/embedded-XXXXXX";
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::vector<std::string> files() const {
        std::vector<std::string> all;
        for (auto const& entry : fs::recursive_directory_iterator(path)) {
            if (entry.is_regular_file()) all.push_back(entry.path().filename().string());
        }
        return all;
    }
    fs::path path;
};

TEST(EmbeddedLibrary, runsWhereTheProgramAllowsIt) {
    Program p;
    auto const engine = p.load(engineFile());
    ASSERT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_EQ(runOf(*engine), (Floats{3, 6}));
    EXPECT_NE(p.runtime->getPluginRegistry().getCreator("TimesThree", "1"), nullptr);
    EXPECT_EQ(getPluginRegistry()->getCreator("TimesThree", "1"), nullptr); // the runtime's only
    EXPECT_TRUE(p.messages.errors.empty());
}

TEST(EmbeddedLibrary, isNotOpenedUnasked) {
    Program p(false);
    EXPECT_FALSE(p.runtime->getEngineHostCodeAllowed());
    EXPECT_EQ(p.load(engineFile()), nullptr);
    EXPECT_EQ(
        p.messages.lastError(),
        text("deserializeCudaEngine: the engine contains plugin libraries, ", nameOf(times_plugins),
             ", whose code runs only if allowed; if you trust the source of the engine, call "
             "IRuntime::setEngineHostCodeAllowed(true) first, or set TENON_ALLOW_HOST_CODE=1 in the environment"));
    EXPECT_FALSE(isMapped("memfd:" + nameOf(times_plugins)));
}

TEST(EmbeddedLibrary, isOpenedForAProgramThatCannotBeChangedWhereTheEnvironmentAllowsIt) {
    Program p(false);
    setenv("TENON_ALLOW_HOST_CODE", "0", 1);
    EXPECT_EQ(p.load(engineFile()), nullptr);
    setenv("TENON_ALLOW_HOST_CODE", "1", 1);
    auto const engine = p.load(engineFile());
    unsetenv("TENON_ALLOW_HOST_CODE");
    ASSERT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_EQ(runOf(*engine), (Floats{3, 6}));
    EXPECT_FALSE(p.runtime->getEngineHostCodeAllowed());
    std::string const said = text("the engine contains plugin libraries, ", nameOf(times_plugins),
                                  ", whose code is run as TENON_ALLOW_HOST_CODE=1 allows");
    EXPECT_EQ(std::ranges::count(p.messages.infos, said), 1);
}

TEST(EmbeddedLibrary, staysAsLongAsAnEngineOfIt) {
    std::unique_ptr<ICudaEngine> engine;
    {
        Program p;
        engine = p.load(engineFile());
        auto const another = p.load(engineFile()); // shares it
        ASSERT_TRUE(engine && another) << p.messages.lastError();
        EXPECT_EQ(runOf(*another), (Floats{3, 6}));
    }
    EXPECT_EQ(runOf(*engine), (Floats{3, 6})); // its runtime no longer exists
    EXPECT_TRUE(isMapped("memfd:" + nameOf(times_plugins)));
    engine.reset();
    EXPECT_FALSE(isMapped("memfd:" + nameOf(times_plugins)));
}

TEST(EmbeddedLibrary, thatRegistersByItselfKeepsToItsRuntimeToo) {
    auto const file = engineWith(times_by_itself_plugins, "TimesThreeByItself");
    Program first;
    Program second;
    auto const one = first.load(file);
    auto const two = second.load(file);
    ASSERT_TRUE(one && two) << first.messages.lastError() << second.messages.lastError();
    EXPECT_EQ(getPluginRegistry()->getCreator("TimesThreeByItself", "1"), nullptr);
    EXPECT_NE(first.runtime->getPluginRegistry().getCreator("TimesThreeByItself", "1"),
              second.runtime->getPluginRegistry().getCreator("TimesThreeByItself", "1"));
    EXPECT_EQ(runOf(*one), (Floats{3, 6}));
    EXPECT_EQ(runOf(*two), (Floats{3, 6}));
}

TEST(EmbeddedLibrary, givesWayToWhatTheProgramRegistered) {
    Program p;
    ASSERT_NE(p.runtime->getPluginRegistry().loadLibrary(times_plugins), nullptr);
    auto const engine = p.load(engineFile());
    ASSERT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_EQ(runOf(*engine), (Floats{3, 6}));
    std::string const said =
        text(nameOf(times_plugins), ": the engine's plugin is not used: plugin TimesThree, version "
                                    "1, namespace \"\": is registered already, from ");
    EXPECT_TRUE(std::ranges::any_of(p.messages.infos, [&](auto const& info) { return info.starts_with(said); }));
}

TEST(EmbeddedLibrary, isSavedAgainWithItsEngine) {
    Bytes again;
    {
        Program p;
        auto const engine = p.load(engineFile());
        ASSERT_NE(engine, nullptr) << p.messages.lastError();
        std::unique_ptr<IHostMemory> const file(engine->serialize());
        auto const* const begin = static_cast<char const*>(file->data());
        again.assign(begin, begin + file->size());
    }
    Program p;
    auto const engine = p.load(again);
    ASSERT_NE(engine, nullptr) << p.messages.lastError();
    EXPECT_EQ(runOf(*engine), (Floats{3, 6}));
}

TEST(EmbeddedLibrary, liesInAFileOfItsOwnWhereItMayNotLieInMemory) {
    Folder const folder;
    {
        Program p;
        p.runtime->setTempfileControlFlags(1U << static_cast<int32_t>(TempfileControlFlag::kALLOW_TEMPORARY_FILES));
        p.runtime->setTemporaryDirectory(folder.path.c_str());
        EXPECT_EQ(p.runtime->getTemporaryDirectory(), folder.path.string());
        auto const engine = p.load(engineFile());
        ASSERT_NE(engine, nullptr) << p.messages.lastError();
        EXPECT_EQ(runOf(*engine), (Floats{3, 6}));
        EXPECT_EQ(folder.files(), std::vector<std::string>{nameOf(times_plugins)});
        auto const place = fs::directory_iterator(folder.path)->status().permissions();
        EXPECT_EQ(place & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
    }
    EXPECT_TRUE(fs::is_empty(folder.path));
}

TEST(EmbeddedLibrary, thatMayLieNowhereIsNamed) {
    Program p;
    EXPECT_EQ(p.runtime->getTempfileControlFlags(), 3U); // both
    EXPECT_EQ(p.runtime->getTemporaryDirectory(), nullptr);
    p.runtime->setTempfileControlFlags(0);
    EXPECT_EQ(p.load(engineFile()), nullptr);
    EXPECT_EQ(p.messages.lastError(), text("deserializeCudaEngine: ", nameOf(times_plugins),
                                           ": the engine's plugin library cannot be stored: the runtime allows neither "
                                           "files in memory nor temporary files (IRuntime::setTempfileControlFlags)"));
    p.runtime->setTempfileControlFlags(1U << static_cast<int32_t>(TempfileControlFlag::kALLOW_TEMPORARY_FILES));
    p.runtime->setTemporaryDirectory("/no/such/folder");
    EXPECT_EQ(p.load(engineFile()), nullptr);
    EXPECT_EQ(p.messages.lastError(), text("deserializeCudaEngine: ", nameOf(times_plugins),
                                           ": the engine's plugin library cannot be written to /no/such/folder: No "
                                           "such file or directory"));
    p.runtime->setTempfileControlFlags(8);
    EXPECT_EQ(p.messages.lastError(), "setTempfileControlFlags: flags 8 have bits that are not a TempfileControlFlag");
    p.runtime->setTemporaryDirectory("");
    EXPECT_EQ(p.messages.lastError(), "setTemporaryDirectory: path is empty; expected a folder, or null");
}

TEST(EmbeddedLibrary, thatWasChangedIsNotOpened) {
    Bytes file = engineFile();
    auto const at = std::search(file.begin(), file.end(),
                                std::begin("\x7f"
                                           "ELF"),
                                std::end("\x7f"
                                         "ELF") -
                                    1);
    ASSERT_NE(at, file.end());
    at[100] ^= 1;
    Program p;
    EXPECT_EQ(p.load(file), nullptr);
    EXPECT_NE(p.messages.lastError().find("the engine was modified: the checksum of blob"), std::string::npos)
        << p.messages.lastError();
    file = Bytes(engineFile().begin(), engineFile().begin() + (at - file.begin()) + 100);
    EXPECT_EQ(p.load(file), nullptr);
    EXPECT_NE(p.messages.lastError().find("the engine is truncated"), std::string::npos) << p.messages.lastError();
    EXPECT_FALSE(isMapped("memfd:" + nameOf(times_plugins)));
}

/// The message of a build about the file to embed.
std::string refusalOf(char const* path) {
    test::Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    d.config->setPluginsToSerialize(&path, 1);
    EXPECT_EQ(std::unique_ptr<IHostMemory>(d.builder->buildSerializedNetwork(*d.network, *d.config)), nullptr);
    return d.messages.lastError();
}

TEST(EmbeddedLibrary, thatIsNoneIsNamedWhenTheEngineIsBuilt) {
    Folder const folder;
    std::string const noLibrary = folder.path / "notes.txt";
    std::ofstream(noLibrary) << "buy milk, and then some bread, and a few apples, if they are good today";
    EXPECT_EQ(refusalOf("/no/such/library.so"),
              "buildSerializedNetwork: /no/such/library.so: cannot be read: No such file or directory");
    EXPECT_EQ(refusalOf("/tmp"), "buildSerializedNetwork: /tmp: is not a regular file");
    EXPECT_EQ(refusalOf(noLibrary.c_str()), text("buildSerializedNetwork: ", noLibrary, ": invalid ELF header"));
    EXPECT_EQ(refusalOf(empty_plugins), text("buildSerializedNetwork: ", empty_plugins,
                                             ": the library registers no plugin and has neither getCreators nor "
                                             "getPluginCreators"));
}

TEST(EmbeddedLibrary, pathsAreCopiedAndChecked) {
    test::Defining d;
    {
        std::string const first = "a.so";
        char const* const paths[]{first.c_str(), "b.so"};
        d.config->setPluginsToSerialize(paths, 2);
    }
    EXPECT_EQ(d.config->getNbPluginsToSerialize(), 2);
    EXPECT_STREQ(d.config->getPluginToSerialize(0), "a.so");
    EXPECT_STREQ(d.config->getPluginToSerialize(1), "b.so");
    EXPECT_EQ(d.config->getPluginToSerialize(2), nullptr);
    EXPECT_EQ(d.config->getPluginToSerialize(-1), nullptr);
    char const* const twice[]{"c.so", "c.so"};
    d.config->setPluginsToSerialize(twice, 2);
    EXPECT_EQ(d.messages.lastError(),
              "setPluginsToSerialize: c.so: is among the paths twice; expected each library once");
    char const* const none[]{nullptr};
    d.config->setPluginsToSerialize(none, 1);
    EXPECT_EQ(d.messages.lastError(), "setPluginsToSerialize: path 0 is null");
    d.config->setPluginsToSerialize(nullptr, 1);
    EXPECT_EQ(d.messages.lastError(), "setPluginsToSerialize: paths is null");
    EXPECT_EQ(d.config->getNbPluginsToSerialize(), 2); // unchanged
    d.config->setPluginsToSerialize(nullptr, 0);
    EXPECT_EQ(d.config->getNbPluginsToSerialize(), 0);
}

TEST(EmbeddedLibrary, isRegisteredWithItsBuilder) {
    test::Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    char const* const path = listed_plugins;
    d.config->setPluginsToSerialize(&path, 1);
    for (int round = 0; round < 2; ++round) EXPECT_NE(d.build(), nullptr) << d.messages.lastError();
    EXPECT_NE(d.builder->getPluginRegistry().getCreator("ListedByGetCreators", "1"), nullptr);
    EXPECT_EQ(getPluginRegistry()->getCreator("ListedByGetCreators", "1"), nullptr);
    std::unique_ptr<ICudaEngine> const engine(d.builder->buildEngineWithConfig(*d.network, *d.config));
    EXPECT_NE(engine, nullptr) << d.messages.lastError(); // its builder allows its code
}

} // namespace
} // namespace tenon
