// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines with plugins in the process that builds them: no file stands between.

#include "support/api.h"
#include "support/api_plugins.h"

#include <algorithm>
#include <map>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::KeepAboveV3;
using test::notes;
using test::Running;
using test::TimesV2;

using Floats = std::vector<float>;
using Calls = std::vector<std::string>;

/// An engine that is not loaded, and one context of it.
struct Built {
    explicit Built(Defining& d) : engine(d.builder->buildEngineWithConfig(*d.network, *d.config)) {
        if (engine) context.reset(engine->createExecutionContext());
    }
    /// y for x [N,2]
    Floats run(Floats x) {
        Floats y(x.size());
        EXPECT_TRUE(context->setInputShape("x", Dims2(static_cast<int32_t>(x.size() / 2), 2)));
        EXPECT_TRUE(context->setTensorAddress("x", x.data()));
        EXPECT_TRUE(context->setTensorAddress("y", y.data()));
        EXPECT_TRUE(context->enqueueV3(nullptr));
        return y;
    }
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IExecutionContext> context;
};

/// x [N,2] and y, which is the result of `add` for x.
template <class Add> std::unique_ptr<Defining> defined(Add&& add) {
    notes() = {};
    auto d = std::make_unique<Defining>();
    d->output(add(*d->network, d->input("x", {-1, 2})));
    d->range("x", {1, 2}, {2, 2}, {4, 2});
    return d;
}

class SavedTimes final : public TimesV2 {
public:
    using TimesV2::TimesV2;
    void serialize(void* buffer) const override {
        notes().calls.emplace_back("serialize");
        TimesV2::serialize(buffer);
    }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<SavedTimes>(factor()).release(); }
};

std::unique_ptr<Defining> timesThree() {
    return defined([](INetworkDefinition& network, ITensor& x) {
        SavedTimes plugin(3);
        ITensor* inputs[]{&x};
        IPluginV2Layer* const layer = network.addPluginV2(inputs, 1, plugin);
        layer->setName("times");
        return layer->getOutput(0);
    });
}

TEST(BuiltEngine, runsPluginsThatNobodyRegistered) {
    {
        auto d = timesThree();
        Built b(*d);
        ASSERT_NE(b.context, nullptr) << d->messages.lastError();
        d->network.reset();
        EXPECT_EQ(b.run({1, 2, 3, 4}), (Floats{3, 6, 9, 12}));
        std::unique_ptr<IExecutionContext> const second(b.engine->createExecutionContext());
        EXPECT_EQ(b.run({5, 6}), (Floats{15, 18}));
        EXPECT_EQ(notes().count("deserializePlugin"), 0);
        EXPECT_EQ(notes().count("serialize"), 0);
    }
    EXPECT_EQ(notes().alive, 0);
}

TEST(BuiltEngine, startsItsObjectOnceAndEndsItWithTheEngine) {
    auto d = timesThree();
    {
        Built b(*d);
        ASSERT_NE(b.context, nullptr) << d->messages.lastError();
        b.run({1, 2});
        EXPECT_EQ(notes().count("initialize"), 1);
        EXPECT_EQ(notes().count("terminate"), 0);
        std::unique_ptr<IHostMemory> const file(b.engine->serialize());
        ASSERT_NE(file, nullptr) << d->messages.lastError();
        EXPECT_EQ(notes().count("serialize"), 1); // of a clone: a context has configured the engine's for its shapes
        EXPECT_EQ(notes().count("initialize"), 2);
        EXPECT_EQ(notes().count("terminate"), 1);
    }
    EXPECT_EQ(notes().count("initialize"), 2);
    EXPECT_EQ(notes().count("terminate"), 2);
}

TEST(BuiltEngine, isWrittenWhileItsPluginsAreInitialized) {
    auto d = timesThree();
    auto const file = d->build();
    Calls life;
    for (std::string const& call : notes().calls) {
        for (char const* const one : {"initialize", "serialize", "terminate"}) {
            if (call == one) life.push_back(call);
        }
    }
    EXPECT_EQ(life, (Calls{"initialize", "serialize", "terminate"}));
}

std::unique_ptr<Defining> keepAbove() {
    return defined([](INetworkDefinition& network, ITensor& x) {
        KeepAboveV3 plugin(2, true, false);
        IShuffleLayer* const flat = network.addShuffle(x);
        flat->setReshapeDimensions(test::dims({-1}));
        ITensor* inputs[]{flat->getOutput(0)};
        IPluginV3Layer* const layer = network.addPluginV3(inputs, 1, nullptr, 0, plugin);
        layer->setName("keep");
        return layer->getOutput(0);
    });
}

TEST(BuiltEngine, runsAPluginThatSavesNothing) {
    auto d = keepAbove();
    notes().failing = "getFieldsToSerialize";
    Built b(*d);
    ASSERT_NE(b.context, nullptr) << d->messages.lastError();
    Floats const y = b.run({1, 2, 3, 4});
    EXPECT_EQ((Floats{y[0], y[1]}), (Floats{3, 4}));
    EXPECT_EQ(b.engine->serialize(), nullptr);
    EXPECT_EQ(d->messages.lastError(),
              "ICudaEngine::serialize: keep (Plugin): plugin KeepAboveV3, version 2, namespace "
              "\"tests\": getFieldsToSerialize returned null");
    notes().failing = {};
    EXPECT_EQ(b.run({5, 2, 7, 0})[1], 7); // the engine lives
    EXPECT_NE(std::unique_ptr<IHostMemory>(b.engine->serialize()), nullptr) << d->messages.lastError();
}

TEST(BuiltEngine, needsNothingOfTheProgramsWeights) {
    Floats factors{2, 3};
    Defining d;
    ITensor* const w = d.network->addConstant(Dims2(1, 2), test::weights(factors))->getOutput(0);
    ITensor& x = d.input("x", {-1, 2});
    d.output(d.network->addElementWise(x, *w, ElementWiseOperation::kPROD)->getOutput(0));
    d.range("x", {1, 2}, {2, 2}, {4, 2});
    Built b(d);
    ASSERT_NE(b.context, nullptr) << d.messages.lastError();
    d.network.reset();
    factors.assign({-100, -100});
    EXPECT_EQ(b.run({1, 2, 3, 4}), (Floats{2, 6, 6, 12}));
    std::unique_ptr<IHostMemory> const file(b.engine->serialize());
    Running again(*file);
    again.context->setInputShape("x", Dims2(1, 2));
    EXPECT_EQ(again.run({1, 1}, 2), (Floats{2, 3}));
}

TEST(BuiltEngine, needsNothingOfTheProgramsPackedWeights) {
    Floats swap{0, 1, 1, 0}, bias{10, 20};
    Defining d;
    ITensor* const w = d.network->addConstant(Dims2(2, 2), test::weights(swap))->getOutput(0);
    ITensor* const added = d.network->addConstant(Dims2(1, 2), test::weights(bias))->getOutput(0);
    ITensor& x = d.input("x", {-1, 2});
    ITensor& xw = *d.network->addMatrixMultiply(x, MatrixOperation::kNONE, *w, MatrixOperation::kNONE)->getOutput(0);
    d.output(d.network->addElementWise(xw, *added, ElementWiseOperation::kSUM)->getOutput(0));
    d.range("x", {1, 2}, {2, 2}, {4, 2});
    Built b(d);
    ASSERT_NE(b.context, nullptr) << d.messages.lastError();
    swap.assign(4, -100);
    bias.assign(2, -100);
    EXPECT_EQ(b.run({1, 2}), (Floats{12, 21}));
    std::unique_ptr<IHostMemory> const file(b.engine->serialize());
    Running again(*file);
    again.context->setInputShape("x", Dims2(1, 2));
    EXPECT_EQ(again.run({1, 2}, 2), (Floats{12, 21}));
}

// ---- several plugins, one of which fails

/// The objects that were begun and not ended, by the factor of the plugin.
struct Begun {
    std::map<float, int> initialized;
    std::map<float, int> attached;
    float fails = 0; // the plugin of this factor does not begin
};
Begun begun;

class Counted final : public TimesV2 {
public:
    using TimesV2::TimesV2;
    int32_t initialize() override {
        if (factor() == begun.fails) return 9;
        ++begun.initialized[factor()];
        return 0;
    }
    void terminate() override { --begun.initialized[factor()]; }
    void attachToContext(cudnnContext*, cublasContext*, IGpuAllocator*) override {
        if (factor() == -begun.fails) throw std::runtime_error("no more paper");
        ++begun.attached[factor()];
    }
    void detachFromContext() override { --begun.attached[factor()]; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<Counted>(factor()).release(); }
};

class CountedCreator final : public test::TimesV2Creator {
public:
    IPluginV2* deserializePlugin(char const*, void const* data, size_t) override {
        return std::make_unique<Counted>(*static_cast<float const*>(data)).release();
    }
};

std::unique_ptr<Defining> threeInARow() {
    begun = {};
    return defined([](INetworkDefinition& network, ITensor& x) {
        ITensor* last = &x;
        for (float const factor : {2.F, 3.F, 4.F}) {
            Counted plugin(factor);
            last = network.addPluginV2(&last, 1, plugin)->getOutput(0);
        }
        return last;
    });
}

bool isAllEnded(std::map<float, int> const& counts) {
    return std::all_of(counts.begin(), counts.end(), [](auto const& one) { return one.second == 0; });
}

TEST(BuiltEngine, endsThePluginsBeforeTheOneThatDoesNotInitialize) {
    auto d = threeInARow();
    begun.fails = 3;
    EXPECT_EQ(d->builder->buildEngineWithConfig(*d->network, *d->config), nullptr);
    EXPECT_NE(d->messages.lastError().find("initialize() returned 9; expected 0"), std::string::npos)
        << d->messages.lastError();
    EXPECT_EQ(begun.initialized, (std::map<float, int>{{2, 0}}));
    EXPECT_EQ(notes().alive, 3); // the network's
}

TEST(LoadedEngine, endsThePluginsBeforeTheOneThatDoesNotInitialize) {
    test::Registered<CountedCreator> const creator;
    std::unique_ptr<IHostMemory> const file = threeInARow()->build();
    EXPECT_EQ(begun.initialized, (std::map<float, int>{{2, 0}, {3, 0}, {4, 0}}));
    begun.fails = 4;
    test::Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    EXPECT_EQ(runtime->deserializeCudaEngine(file->data(), file->size()), nullptr);
    EXPECT_NE(messages.lastError().find("initialize() returned 9; expected 0"), std::string::npos)
        << messages.lastError();
    EXPECT_EQ(begun.initialized, (std::map<float, int>{{2, 0}, {3, 0}, {4, 0}}));
    EXPECT_EQ(notes().alive, 0);
}

TEST(BuiltEngine, detachesThePluginsBeforeTheOneThatDoesNotAttach) {
    auto d = threeInARow();
    {
        Built b(*d);
        ASSERT_NE(b.context, nullptr) << d->messages.lastError();
        EXPECT_EQ(b.run({1, 1}), (Floats{24, 24}));
        begun.fails = -3;
        EXPECT_EQ(b.engine->createExecutionContext(), nullptr);
        EXPECT_NE(d->messages.lastError().find("attachToContext threw \"no more paper\""), std::string::npos)
            << d->messages.lastError();
        EXPECT_EQ(begun.attached, (std::map<float, int>{{2, 1}, {3, 1}, {4, 1}})); // the first context's
        EXPECT_EQ(b.run({1, 1}), (Floats{24, 24}));
    }
    EXPECT_TRUE(isAllEnded(begun.attached));
    EXPECT_TRUE(isAllEnded(begun.initialized));
}

} // namespace
} // namespace tenon
