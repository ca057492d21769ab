// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins in networks and engines, as programs put them there.

#include "base/text.h"
#include "support/api.h"
#include "support/api_plugins.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::KeepAboveV3;
using test::KeepAboveV3Creator;
using test::notes;
using test::Registered;
using test::Running;
using test::TimesV2;
using test::TimesV2Creator;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// The index of the first such call, from `from` on; the end if there is none.
size_t placeOf(std::string const& call, size_t from = 0) {
    auto const& calls = notes().calls;
    return static_cast<size_t>(std::find(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end(), call) -
                               calls.begin());
}

struct TimesNetwork : Defining {
    TimesNetwork() {
        TimesV2 plugin(3);
        ITensor* inputs[]{&input("x", {-1, 2})};
        layer = network->addPluginV2(inputs, 1, plugin);
        if (layer == nullptr) return;
        layer->setName("times");
        output(layer->getOutput(0));
        range("x", {1, 2}, {2, 2}, {4, 2});
    }
    IPluginV2Layer* layer = nullptr;
};

TEST(PluginV2, isRefusedWhereItsNamesAreNotUtf8) {
    Defining d;
    TimesV2 plugin(3);
    plugin.setPluginNamespace("caf\xe9");
    ITensor* inputs[]{&d.input("x", {2})};
    ILayer* const layer = d.network->addPluginV2(inputs, 1, plugin);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    layer->setName("times");
    d.output(layer->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "buildSerializedNetwork: times: the namespace of its plugin TimesV2, \"caf\\xe9\", is not UTF-8");
}

TEST(PluginV2, computesInAnEngineThatIsLoadedAgain) {
    Registered<TimesV2Creator> creator;
    {
        auto const file = TimesNetwork().build();
        Running r(*file);
        r.context->setInputShape("x", Dims2{2, 2});
        EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
        r.context->setInputShape("x", Dims2{1, 2});
        EXPECT_EQ(r.run({1, 2}, 2), (Floats{3, 6}));
        EXPECT_EQ(extents(notes().enqueuedDims.back()), (Extents{1, 2}));
        EXPECT_TRUE(r.messages.errors.empty()) << r.messages.lastError();
    }
    EXPECT_EQ(notes().alive, 0); // every clone was destroyed
}

TEST(PluginV2, mayUseEachExpressionOfAnExtentTwice) { // as a tree it would have 2^80 operations
    Registered<TimesV2Creator> creator;
    notes().detours = 80;
    auto const file = TimesNetwork().build();
    Running r(*file);
    r.context->setInputShape("x", Dims2{2, 2});
    EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{3, 6, 9, 12}));
    EXPECT_TRUE(r.messages.errors.empty()) << r.messages.lastError();
}

TEST(PluginV2, isCalledInTheOrderThatItsContractPromises) {
    Registered<TimesV2Creator> creator;
    auto const file = TimesNetwork().build();
    notes().calls.clear();
    {
        Running r(*file);
        r.context->setInputShape("x", Dims2{2, 2});
        r.run({1, 2, 3, 4}, 4);
        r.run({1, 2, 3, 4}, 4);
        r.context->setInputShape("x", Dims2{1, 2});
        r.run({1, 2}, 2);
    }
    size_t const made = placeOf("deserializePlugin");
    size_t const initialized = placeOf("initialize", made);
    size_t const attached = placeOf("attachToContext", initialized);
    size_t const configured = placeOf("configurePlugin", attached);
    size_t const enqueued = placeOf("enqueue", configured);
    size_t const detached = placeOf("detachFromContext", enqueued);
    EXPECT_LT(placeOf("terminate", detached), notes().calls.size()); // so all of them exist, one after the other
    EXPECT_EQ(notes().count("configurePlugin"), 2);                  // once for each change of the shape
    EXPECT_EQ(notes().count("enqueue"), 3);
    EXPECT_EQ(notes().count("initialize"), notes().count("terminate"));
    EXPECT_EQ(notes().count("attachToContext"), notes().count("detachFromContext"));
}

TEST(PluginV2, isAnObjectOfTheUsersClassInTheNetwork) {
    Registered<TimesV2Creator> creator;
    TimesNetwork d;
    ASSERT_NE(d.layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(d.layer->getType(), LayerType::kPLUGIN_V2);
    EXPECT_EQ(static_cast<TimesV2&>(d.layer->getPlugin()).factor(), 3.F);
    EXPECT_EQ(d.network->getLayer(0), d.layer);
}

TEST(PluginV2, thatIsNotRegisteredIsMissedByName) {
    std::unique_ptr<IHostMemory> file;
    {
        Registered<TimesV2Creator> creator;
        file = TimesNetwork().build();
    }
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    EXPECT_EQ(runtime->deserializeCudaEngine(file->data(), file->size()), nullptr);
    EXPECT_EQ(messages.lastError().find("deserializeCudaEngine: times (plugin TimesV2, version 1, namespace \"\"): not "
                                        "registered. No plugin of that name is among the "),
              0U)
        << messages.lastError();
}

TEST(PluginV2, thatIsRegisteredOtherwiseIsMissedWithWhatThereIs) {
    std::unique_ptr<IHostMemory> file;
    {
        Registered<TimesV2Creator> creator;
        file = TimesNetwork().build();
    }
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    TimesV2Creator elsewhere;
    ASSERT_TRUE(getPluginRegistry()->registerCreator(elsewhere, "elsewhere"));
    EXPECT_EQ(runtime->deserializeCudaEngine(file->data(), file->size()), nullptr);
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(elsewhere));
    std::string const said = messages.lastError();
    EXPECT_NE(said.find("Registered with that name: version 1, namespace \"elsewhere\" ("), std::string::npos) << said;
    EXPECT_NE(said.find("Load the library it was built with (loadLibrary): trt_test, build-id "), std::string::npos)
        << said;
}

TEST(PluginV2, thatFailsToRunIsNamedAndTheEngineStaysUsable) {
    Registered<TimesV2Creator> creator;
    Running r(*TimesNetwork().build());
    r.context->setInputShape("x", Dims2{1, 2});
    Floats x{1, 2};
    Floats y(2);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    notes().enqueueStatus = 5;
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(),
              "enqueueV3: times (Plugin): plugin TimesV2, version 1, namespace \"\": enqueue(inputs [1,2] float32 "
              "linear; outputs [1,2] float32 linear) returned 5; expected 0");
    notes().enqueueStatus = 0;
    notes().throwing = "enqueue";
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: times (Plugin): plugin TimesV2, version 1, namespace \"\": enqueue "
                                      "threw \"no more paper\"");
    notes().throwing.clear();
    EXPECT_TRUE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(y, (Floats{3, 6}));
}

TEST(PluginV2, thatRejectsEveryFormatIsNamedWithWhatWasAsked) {
    Registered<TimesV2Creator> creator;
    notes().rejectsAll = true;
    TimesNetwork d;
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(
        d.messages.lastError().find("buildSerializedNetwork: times (Plugin): the plugin accepts no combination of "
                                    "types and formats. Queries and results:\n  tensor 0 as float32 linear cpu: no\n"),
        0U)
        << d.messages.lastError();
}

TEST(PluginV2, thatTakesMoreWorkspaceThanTheLimitIsRefused) {
    Registered<TimesV2Creator> creator;
    TimesNetwork d;
    d.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 32); // of 4 x 2 floats, the largest shape
    EXPECT_NE(d.build(), nullptr);
    d.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 31);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    std::string const said = d.messages.lastError();
    EXPECT_TRUE(said.starts_with("buildSerializedNetwork: times (Plugin): ")) << said;
    EXPECT_TRUE(said.ends_with("  tactic 0: takes 32 bytes of workspace; the limit is 31 (setMemoryPoolLimit with "
                               "kWORKSPACE)\n"))
        << said;
}

TEST(PluginV2, thatAsksForMoreWorkspaceThanThereIsIsRefused) {
    Registered<TimesV2Creator> creator;
    notes().workspace = SIZE_MAX;
    TimesNetwork d;
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_NE(d.messages.lastError().find("takes 18446744073709551615 bytes of workspace; the limit is "),
              std::string::npos)
        << d.messages.lastError();
}

TEST(PluginV2, withANegativeDimensionIsRefused) {
    Registered<TimesV2Creator> creator;
    notes().outputExtent = -3;
    TimesNetwork d;
    EXPECT_EQ(d.layer, nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addPluginV2: plugin TimesV2, version 1, namespace \"\": Plugin_0 (Plugin): output 0: dimension 0 is -3; "
              "expected at least 0 (declare data-dependent sizes with declareSizeTensor)");
}

TEST(PluginV2, thatClonesToNullIsRefused) {
    Registered<TimesV2Creator> creator;
    notes().clonesToNull = true;
    TimesNetwork d;
    EXPECT_EQ(d.layer, nullptr);
    EXPECT_EQ(d.messages.lastError(), "addPluginV2: plugin TimesV2, version 1, namespace \"\": clone returned null");
}

TEST(PluginV2, standsInAnFp16NetworkWithConversionsAroundIt) {
    Registered<TimesV2Creator> creator;
    TimesNetwork d;
    d.config->setFlag(BuilderFlag::kFP16);
    Running r(*d.build());
    r.context->setInputShape("x", Dims2{1, 2});
    EXPECT_EQ(r.run({1, 2}, 2), (Floats{3, 6}));
}

/// Throws from an override that promises not to, as plugins since level 8 do.
class CarelessV2 final : public TimesV2 {
public:
    using TimesV2::TimesV2;
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) noexcept override {
        return std::vector<int32_t>().at(3);
    }
    IPluginV2DynamicExt* clone() const noexcept override { return new CarelessV2(factor()); }
};

class CarelessCreator final : public TimesV2Creator {
public:
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override { return new CarelessV2(1); }
};

TEST(PluginV2DeathTest, thatThrowsWhereItPromisedNotToIsNamedBeforeTheProcessEnds) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    Registered<CarelessCreator> creator;
    auto const file = TimesNetwork().build();
    EXPECT_DEATH(
        {
            Running r(*file);
            r.context->setInputShape("x", Dims2{1, 2});
            r.run({1, 2}, 2);
        },
        "tenon: times \\(plugin TimesV2, version 1, namespace \"\"\\): enqueue is noexcept, but it threw");
}

// ---- IPluginV3

struct KeepNetwork : Defining {
    explicit KeepNetwork(bool hasTactics = false, bool withShapeInput = false) {
        KeepAboveV3 plugin(0.5F, true, hasTactics);
        ITensor& x = input("x", {-1});
        ITensor* inputs[]{&x};
        static int32_t const kValues[]{4, 9};
        ITensor* shape = withShapeInput
                             ? network->addConstant(Dims{1, {2}}, Weights{DataType::kINT32, kValues, 2})->getOutput(0)
                             : nullptr;
        layer = network->addPluginV3(inputs, 1, &shape, withShapeInput ? 1 : 0, plugin);
        if (layer == nullptr) return;
        layer->setName("keep");
        output(layer->getOutput(0));
        output(layer->getOutput(1), "n");
        range("x", {1}, {4}, {8});
    }
    IPluginV3Layer* layer = nullptr;
};

class Buffers final : public IOutputAllocator {
public:
    void* reallocateOutputAsync(char const* name, void*, uint64_t size, uint64_t, cudaStream_t) override {
        memory[name].resize(size);
        return memory[name].data();
    }
    void notifyShape(char const* name, Dims const& dims) override { shapes[name] = extents(dims); }
    Floats floats(std::string const& name) {
        Floats values(static_cast<size_t>(shapes[name][0]));
        if (!values.empty()) std::memcpy(values.data(), memory[name].data(), values.size() * sizeof(float));
        return values;
    }

    std::map<std::string, std::vector<char>> memory;
    std::map<std::string, Extents> shapes;
};

/// Runs "keep" on x and returns y.
Floats keep(Running& r, Floats x, int32_t expectedCount) {
    Buffers buffers;
    int32_t n = -1;
    r.context->setInputShape("x", Dims{1, {static_cast<int64_t>(x.size())}});
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("n", &n);
    r.context->setOutputAllocator("y", &buffers);
    r.run();
    r.context->setOutputAllocator("y", nullptr);
    EXPECT_EQ(n, expectedCount);
    return buffers.floats("y");
}

/// From the network to the first run, with one method that fails: the error at the end.
struct KeepLife {
    explicit KeepLife(std::string const& failing, bool onceBuilt = false) {
        Registered<KeepAboveV3Creator> creator;
        if (!onceBuilt) notes().failing = failing;
        said = live(failing);
    }

    std::string said;

private:
    static std::string live(std::string const& failing) {
        KeepNetwork d(true);
        if (d.layer == nullptr) return d.messages.lastError();
        std::unique_ptr<IHostMemory> file(d.builder->buildSerializedNetwork(*d.network, *d.config));
        if (!file) return d.messages.lastError();
        notes().failing = failing;
        return run(*file);
    }
    static std::string run(IHostMemory const& file) {
        test::Messages messages;
        std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
        std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(file.data(), file.size()));
        std::unique_ptr<IExecutionContext> context(engine ? engine->createExecutionContext() : nullptr);
        if (context == nullptr) return messages.lastError();
        Floats x{1};
        Floats y(1);
        int32_t n = 0;
        context->setInputShape("x", Dims{1, {1}});
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
        context->setTensorAddress("n", &n);
        return context->enqueueV3(nullptr) ? "" : messages.lastError();
    }
};

TEST(PluginV3, deliversAnOutputWhoseSizeOnlyTheRunTells) {
    Registered<KeepAboveV3Creator> creator;
    {
        Running r(*KeepNetwork().build());
        EXPECT_EQ(keep(r, {1, 0, 2, 0.5F, 3}, 3), (Floats{1, 2, 3}));
        EXPECT_EQ(keep(r, {0, 0}, 0), Floats());
        EXPECT_EQ(keep(r, {4, 5, 6, 7}, 4), (Floats{4, 5, 6, 7}));
        EXPECT_EQ(r.context->getMaxOutputSize("y"), 16);
        EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{-1}));
        EXPECT_TRUE(r.messages.errors.empty()) << r.messages.lastError();
    }
    EXPECT_EQ(notes().alive, 0);
}

TEST(PluginV3, isMadeFromItsSavedFieldsByAnObjectThatCanOnlyRun) {
    Registered<KeepAboveV3Creator> creator;
    auto const file = KeepNetwork().build();
    notes().calls.clear();
    Running r(*file);
    EXPECT_EQ(notes().count("createPlugin for runtime"), 1);
    EXPECT_EQ(notes().count("createPlugin for build"), 0);
    EXPECT_EQ(keep(r, {0.4F, 0.6F}, 1), (Floats{0.6F})); // the limit of 0.5 came back
    EXPECT_LT(placeOf("attachToContext"), placeOf("onShapeChange"));
    EXPECT_LT(placeOf("onShapeChange"), placeOf("enqueue"));
}

TEST(PluginV3, runsItsFirstTacticWhereNothingIsTimed) {
    Registered<KeepAboveV3Creator> creator;
    KeepNetwork d(true);
    d.config->setBuilderOptimizationLevel(2);
    auto const file = d.build();
    EXPECT_EQ(notes().count("enqueue"), 0);
    notes().tactic = -1;
    Running r(*file);
    EXPECT_EQ(notes().tactic, 2);
    EXPECT_EQ(keep(r, {1, 2, 3}, 3), (Floats{3, 2, 1}));
}

TEST(PluginV3, runsTheFastestOfItsTactics) {
    Registered<KeepAboveV3Creator> creator;
    for (int32_t const slow : {1, 2}) {
        notes().slowTactic = slow;
        Running r(*KeepNetwork(true).build());
        EXPECT_EQ(keep(r, {1, 2, 3}, 3), slow == 2 ? (Floats{1, 2, 3}) : (Floats{3, 2, 1})); // tactic 2 reverses
    }
    EXPECT_EQ(notes().alive, 0);
}

TEST(PluginV3, leavesOutATacticThatFails) {
    Registered<KeepAboveV3Creator> creator;
    notes().brokenTactic = 2;
    KeepNetwork d(true);
    Running r(*d.build());
    EXPECT_EQ(keep(r, {1, 2, 3}, 3), (Floats{1, 2, 3}));
    ASSERT_EQ(d.messages.warnings.size(), 1U);
    EXPECT_EQ(d.messages.warnings[0].find(
                  "keep (Plugin): tactic 2, float32 linear to float32 linear and int32 linear is excluded, since it "
                  "failed during timing: plugin KeepAboveV3, version 2, namespace \"tests\": enqueue("),
              0U)
        << d.messages.warnings[0];
}

struct TimedNetwork : KeepNetwork {
    TimedNetwork() : KeepNetwork(true) { notes().calls.clear(); }

    /// The number of runs of the plugin in a build that uses this cache.
    int runsWith(ITimingCache const& cache) {
        EXPECT_TRUE(config->setTimingCache(cache, false)) << messages.lastError();
        notes().calls.clear();
        build();
        return notes().count("enqueue");
    }
    std::unique_ptr<ITimingCache> cacheOf(std::string const& bytes) {
        return std::unique_ptr<ITimingCache>(config->createTimingCache(bytes.data(), bytes.size()));
    }
    static std::string bytesOf(ITimingCache const& cache) {
        std::unique_ptr<IHostMemory> const memory(cache.serialize());
        return {static_cast<char const*>(memory->data()), memory->size()};
    }
};

TEST(TimingCache, remembersTactics) {
    Registered<KeepAboveV3Creator> creator;
    notes().timingCacheId = "limit=0.5";
    TimedNetwork d;
    auto const cache = d.cacheOf("");
    EXPECT_GT(d.runsWith(*cache), 0);
    EXPECT_EQ(cache->queryKeys(nullptr, 0), 2); // one per tactic
    EXPECT_EQ(d.runsWith(*cache), 0);
    auto const again = d.cacheOf(TimedNetwork::bytesOf(*cache));
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(d.runsWith(*again), 0);
    notes().timingCacheId = "limit=2"; // another plugin
    EXPECT_GT(d.runsWith(*again), 0);
    EXPECT_EQ(again->queryKeys(nullptr, 0), 4);
    EXPECT_TRUE(cache->combine(*again, false));
    EXPECT_EQ(d.runsWith(*cache), 0);
}

TEST(TimingCache, remembersNothingOfAPluginWithoutAnId) {
    Registered<KeepAboveV3Creator> creator;
    TimedNetwork d;
    auto const cache = d.cacheOf("");
    EXPECT_GT(d.runsWith(*cache), 0);
    EXPECT_EQ(cache->queryKeys(nullptr, 0), 0);
    EXPECT_GT(d.runsWith(*cache), 0);
}

TEST(TimingCache, decidesWhereATimeIsChanged) {
    Registered<KeepAboveV3Creator> creator;
    notes().timingCacheId = "";
    TimedNetwork d;
    auto const cache = d.cacheOf("");
    d.runsWith(*cache);
    TimingCacheKey keys[2];
    ASSERT_EQ(cache->queryKeys(keys, 2), 2);
    for (int32_t const wanted : {1, 2}) {
        for (TimingCacheKey const& key : keys) {
            auto const tactic = cache->query(key).tacticHash;
            EXPECT_TRUE(cache->update(key, {tactic, tactic == static_cast<uint64_t>(wanted) ? 1.F : 2.F}));
        }
        EXPECT_EQ(d.runsWith(*cache), 0);
        EXPECT_EQ(notes().tactic, wanted);
    }
    EXPECT_FALSE(cache->update(TimingCacheKey{}, {1, 1}));
    EXPECT_FALSE(cache->update(keys[0], {1, -1}));
    EXPECT_EQ(d.messages.lastError(),
              "ITimingCache::update: tactic 1 in -1 ms; expected a tactic and a time, or NaN to "
              "remove the entry");
    EXPECT_TRUE(cache->update(keys[0], {77, 1})); // which no plugin has
    EXPECT_GT(d.runsWith(*cache), 0);             // so it is timed
    EXPECT_TRUE(cache->update(keys[0], {1, std::nanf("")}));
    EXPECT_EQ(cache->queryKeys(keys, 2), 1);
    EXPECT_EQ(cache->query(TimingCacheKey{}).tacticHash, TimingCacheValue::kINVALID_TACTIC_HASH);
    EXPECT_TRUE(cache->reset());
    EXPECT_EQ(cache->queryKeys(keys, 2), 0);
}

TEST(TimingCache, isRequiredWhereTheProgramSaysSo) {
    Registered<KeepAboveV3Creator> creator;
    TimedNetwork d;
    d.config->setFlag(BuilderFlag::kERROR_ON_TIMING_CACHE_MISS);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_NE(d.messages.lastError().find("the timing cache does not contain tactic 2 of plugin KeepAboveV3"),
              std::string::npos)
        << d.messages.lastError();
}

TEST(TimingCache, ofAnotherProcessorIsTakenOnlyWhenAsked) {
    TimedNetwork d;
    auto const other = d.cacheOf("tenon timing cache 2\n{\"device\":\"a slide rule\",\"entries\":{}}\n");
    ASSERT_NE(other, nullptr) << d.messages.lastError();
    EXPECT_FALSE(d.config->setTimingCache(*other, false));
    EXPECT_EQ(
        d.messages.lastError().find("setTimingCache: the timing cache was measured on a slide rule, but this is "), 0U)
        << d.messages.lastError();
    EXPECT_FALSE(d.cacheOf("")->combine(*other, false));
    EXPECT_TRUE(d.cacheOf("")->combine(*other, true));
    EXPECT_TRUE(d.config->setTimingCache(*other, true));
    EXPECT_EQ(d.config->getTimingCache(), other.get());
}

TEST(TimingCache, refusesOtherBytes) {
    TimedNetwork d;
    for (std::string const& bytes : {std::string("something else"), std::string("tenon timing cache 2\n{\"device\""),
                                     std::string("tenon timing cache 2\n{\"device\":\"x\",\"entries\":{\"ab\":1}}")}) {
        EXPECT_EQ(d.cacheOf(bytes), nullptr);
        EXPECT_EQ(d.messages.lastError().find(text("createTimingCache: the ", bytes.size(),
                                                   " bytes are not a timing cache that this Tenon reads (")),
                  0U)
            << d.messages.lastError();
    }
}

TEST(PluginV3, isAnObjectOfTheUsersClassInTheNetwork) {
    Registered<KeepAboveV3Creator> creator;
    KeepNetwork d;
    ASSERT_NE(d.layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(d.layer->getType(), LayerType::kPLUGIN_V3);
    EXPECT_EQ(static_cast<KeepAboveV3&>(d.layer->getPlugin()).limit(), 0.5F);
    EXPECT_EQ(extents(d.layer->getOutput(0)->getDimensions()), (Extents{-1}));
    EXPECT_EQ(d.layer->getOutput(1)->getType(), DataType::kINT32);
}

TEST(PluginV3, isAskedForShapesWithTheValuesOfItsShapeInputs) {
    Registered<KeepAboveV3Creator> creator;
    KeepNetwork d(false, true);
    ASSERT_NE(d.layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(d.layer->getNbInputs(), 2);
    EXPECT_EQ(notes().shapeValues.size(), 2U);
    Running r(*d.build());
    EXPECT_EQ(keep(r, {1, 0, 2}, 2), (Floats{1, 2}));
}

TEST(PluginV3, thatFailsToRunIsNamed) {
    Registered<KeepAboveV3Creator> creator;
    Running r(*KeepNetwork().build());
    Floats x{1};
    Floats y(1);
    int32_t n = 0;
    r.context->setInputShape("x", Dims{1, {1}});
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    r.context->setTensorAddress("n", &n);
    notes().enqueueStatus = -1;
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(
        r.messages.lastError(),
        "enqueueV3: keep (Plugin): plugin KeepAboveV3, version 2, namespace \"tests\": enqueue(inputs [1] float32 "
        "linear; outputs [-1] float32 linear, [] int32 linear) returned -1; expected 0");
}

TEST(PluginV3, withoutABuildCapabilityIsNotTakenIntoANetwork) {
    Registered<KeepAboveV3Creator> creator;
    Defining d;
    KeepAboveV3 plugin(1, false, false);
    ITensor* inputs[]{&d.input("x", {4})};
    EXPECT_EQ(d.network->addPluginV3(inputs, 1, nullptr, 0, plugin), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addPluginV3: Plugin_0 (Plugin): plugin KeepAboveV3, version 2, namespace \"tests\": "
              "getCapabilityInterface returned null for kBUILD, which a build requires");
}

TEST(PluginV3, thatFailsAnywhereIsNamedWithTheMethodAndNothingElseHappens) {
    struct Case {
        std::string method;
        std::string where;
        std::string what;
        bool onceBuilt = false;
    };
    std::string const name = "plugin KeepAboveV3, version 2, namespace \"tests\": ";
    for (Case const& wrong : {
             Case{"getNbOutputs", "addPluginV3", "getNbOutputs returned -7; expected at least 1, at most 4096"},
             Case{"getOutputShapes", "addPluginV3",
                  "getOutputShapes(1 inputs, 0 shape inputs, 2 outputs) returned -7; expected 0"},
             Case{"getOutputDataTypes", "addPluginV3",
                  "getOutputDataTypes(2 outputs, 1 inputs) returned -7; expected 0"},
             Case{"clone", "addPluginV3", "clone returned null"},
             Case{"configurePlugin", "buildSerializedNetwork",
                  "configurePlugin(1 inputs, 2 outputs) returned -7; expected 0"},
             Case{"getNbTactics", "buildSerializedNetwork", "getNbTactics returned -7; expected 0 to 10000"},
             Case{"getValidTactics", "buildSerializedNetwork", "getValidTactics(2 tactics) returned -7; expected 0"},
             Case{"setTactic", "buildSerializedNetwork", "setTactic(2) returned -7; expected 0"},
             Case{"getFieldsToSerialize", "buildSerializedNetwork", "getFieldsToSerialize returned null"},
             Case{"createPlugin for runtime", "deserializeCudaEngine",
                  "createPlugin of its creator returned null for the fields [limit float32[1], hasTactics unknown[1]]"},
             Case{"attachToContext", "buildSerializedNetwork", "attachToContext returned null"},
             Case{"attachToContext", "createExecutionContext", "attachToContext returned null", true},
             Case{"onShapeChange", "buildSerializedNetwork",
                  "onShapeChange(inputs [4] float32 linear; outputs [-1] float32 linear, [] int32 linear) returned -7; "
                  "expected 0"},
             Case{"onShapeChange", "enqueueV3",
                  "onShapeChange(inputs [1] float32 linear; outputs [-1] float32 linear, [] int32 linear) returned -7; "
                  "expected 0",
                  true},
         }) {
        std::string const said = KeepLife(wrong.method, wrong.onceBuilt).said;
        EXPECT_TRUE(said.starts_with(wrong.where + ": ")) << wrong.method << ": " << said;
        EXPECT_TRUE(said.ends_with(name + wrong.what)) << wrong.method << ": " << said;
        EXPECT_EQ(notes().alive, 0) << wrong.method;
    }
    EXPECT_EQ(KeepLife("").said, "");
}

TEST(PluginV3, withANegativeDimensionIsRefused) {
    Registered<KeepAboveV3Creator> creator;
    notes().outputExtent = -3;
    KeepNetwork d;
    EXPECT_EQ(d.layer, nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addPluginV3: plugin KeepAboveV3, version 2, namespace \"tests\": Plugin_0 (Plugin): output 0: dimension "
              "0 is -3; expected at least 0 (declare data-dependent sizes with declareSizeTensor)");
}

TEST(PluginV3, thatRejectsEveryFormatIsNamedWithWhatWasAsked) {
    Registered<KeepAboveV3Creator> creator;
    notes().rejectsAll = true;
    KeepNetwork d;
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "buildSerializedNetwork: keep (Plugin): the plugin accepts no combination of types and formats. Queries "
              "and results:\n  tensor 0 as float32 linear cpu: no\n");
}

TEST(PluginV3, thatThrowsIsNamed) {
    Registered<KeepAboveV3Creator> creator;
    notes().throwing = "getOutputShapes";
    KeepNetwork d;
    EXPECT_EQ(d.layer, nullptr);
    EXPECT_EQ(d.messages.lastError(), "addPluginV3: Plugin_0 (Plugin): plugin KeepAboveV3, version 2, namespace "
                                      "\"tests\": getOutputShapes threw \"no more paper\"");
}

// ---- creators

TEST(PluginRegistry, refusesASecondCreatorOfTheSameName) {
    Registered<TimesV2Creator> creator;
    TimesV2Creator second;
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages)); // whose logger the registry passes
    EXPECT_FALSE(getPluginRegistry()->registerCreator(second, ""));
    EXPECT_EQ(messages.lastError().find("registerCreator: plugin TimesV2, version 1, namespace \"\": is registered "
                                        "already, from "),
              0U)
        << messages.lastError();
    EXPECT_TRUE(getPluginRegistry()->registerCreator(second, "other")); // in a namespace of its own
    EXPECT_STREQ(second.getPluginNamespace(), "other");
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("TimesV2", "1", "other"), &second);
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("TimesV2", "1"), &creator.creator);
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("TimesV2", "2"), nullptr);
    EXPECT_TRUE(getPluginRegistry()->deregisterCreator(second));
    EXPECT_FALSE(getPluginRegistry()->deregisterCreator(second));
}

TEST(PluginRegistry, listsCreatorsOfAllGenerations) {
    Registered<TimesV2Creator> v2;
    Registered<KeepAboveV3Creator> v3;
    IPluginRegistry& registry = *getPluginRegistry();
    EXPECT_EQ(registry.getCreator("KeepAboveV3", "2", "tests"), &v3.creator);
    EXPECT_EQ(registry.getPluginCreator("KeepAboveV3", "2", "tests"), nullptr); // not an IPluginCreator
    int32_t all = 0;
    IPluginCreatorInterface* const* const creators = registry.getAllCreators(&all);
    EXPECT_NE(std::find(creators, creators + all, &v2.creator), creators + all);
    EXPECT_NE(std::find(creators, creators + all, &v3.creator), creators + all);
    int32_t v1 = 0;
    registry.getPluginCreatorList(&v1);
    EXPECT_EQ(v1, all - 1);
}

TEST(PluginRegistry, ofARuntimeFindsWhatIsRegisteredEverywhere) {
    Registered<TimesV2Creator> global;
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    IPluginRegistry& own = runtime->getPluginRegistry();
    EXPECT_EQ(own.getPluginCreator("TimesV2", "1"), &global.creator);
    own.setParentSearchEnabled(false);
    EXPECT_EQ(own.getPluginCreator("TimesV2", "1"), nullptr);
    TimesV2Creator local;
    EXPECT_TRUE(own.registerCreator(local, ""));
    EXPECT_EQ(own.getPluginCreator("TimesV2", "1"), &local);
    EXPECT_EQ(getPluginRegistry()->getPluginCreator("TimesV2", "1"), &global.creator);
}

class Resource final : public IPluginResource {
public:
    explicit Resource(int& released) : released_(released) {}
    int32_t release() override { return ++released_, 0; }
    IPluginResource* clone() override { return new Resource(released_); }

private:
    int& released_;
};

TEST(PluginRegistry, keepsAResourceUntilTheLastUserLetsGo) {
    int released = 0;
    Resource mine(released);
    IPluginRegistry& registry = *getPluginRegistry();
    IPluginResource* kept = registry.acquirePluginResource("tests.table", &mine);
    EXPECT_NE(kept, nullptr);
    EXPECT_NE(kept, &mine);
    EXPECT_EQ(registry.acquirePluginResource("tests.table", nullptr), kept);
    EXPECT_EQ(registry.releasePluginResource("tests.table"), 0);
    EXPECT_EQ(released, 0);
    EXPECT_EQ(registry.releasePluginResource("tests.table"), 0);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(registry.releasePluginResource("tests.table"), -1);
    EXPECT_EQ(registry.acquirePluginResource("tests.table", nullptr), nullptr);
}

TEST(PluginRegistry, saysWhyALibraryCannotBeLoaded) {
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    EXPECT_EQ(runtime->getPluginRegistry().loadLibrary("/no/such/library.so"), nullptr);
    EXPECT_EQ(messages.lastError().find("loadLibrary: /no/such/library.so: "), 0U) << messages.lastError();
    runtime->getPluginRegistry().deregisterLibrary(&messages);
    EXPECT_EQ(messages.lastError(), "deregisterLibrary: no library with this handle is loaded");
}

} // namespace
} // namespace tenon
