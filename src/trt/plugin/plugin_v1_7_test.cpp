// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins of the first generation, in programs of level 7.

#undef TENON_LEVEL
#define TENON_LEVEL 7
#include "NvInfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace nvinfer1;

using Floats = std::vector<float>;
using Calls = std::vector<std::string>;

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

/// The calls of a test's plugins, and their mistakes.
struct Notes {
    Calls calls;
    std::vector<int32_t> batches; // of enqueue
    int32_t maxBatch = 0;
    Floats inputExtents;
    int32_t outputs = 1;
    int32_t grow = 0; // added to the first extent of the output
    int32_t initializeStatus = 0;
    int32_t enqueueStatus = 0;
    bool takesHalf = true;
    std::atomic<int> inside = 0;
    std::atomic<bool> overlapped = false;
    int alive = 0;

    void note(char const* call) {
        if (calls.empty() || calls.back() != call) calls.emplace_back(call);
    }
    long count(char const* call) const { return std::count(calls.begin(), calls.end(), call); }
};
std::unique_ptr<Notes> kept;
Notes& notes() { return *kept; }

/// y = factor * x, as far as both classes have this in common.
template <class Base> class Times : public Base {
public:
    explicit Times(float factor) : factor_(factor) { ++notes().alive; }
    ~Times() override { --notes().alive; }

    int32_t getNbOutputs() const override { return notes().outputs; }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) override {
        notes().note("getOutputDimensions");
        Dims dims = inputs[0];
        elements_ = 1;
        for (int32_t i = 0; i < dims.nbDims; ++i) elements_ *= dims.d[i];
        dims.d[0] += notes().grow;
        return dims;
    }
    int32_t initialize() override {
        notes().note("initialize");
        return notes().initializeStatus;
    }
    void terminate() override { notes().note("terminate"); }
    size_t getWorkspaceSize(int32_t maxBatch) const override {
        notes().note("getWorkspaceSize");
        return static_cast<size_t>(maxBatch) * 4;
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void** outputs, void*, cudaStream_t) override {
        if (notes().inside++ != 0) notes().overlapped = true;
        notes().note("enqueue");
        notes().batches.push_back(batch);
        for (int32_t i = 0; i < batch * elements_; ++i)
            static_cast<float*>(outputs[0])[i] = factor_ * static_cast<float const*>(inputs[0])[i];
        --notes().inside;
        return notes().enqueueStatus;
    }
    size_t getSerializationSize() override {
        notes().note("getSerializationSize");
        return sizeof factor_ + sizeof elements_;
    }
    void serialize(void* buffer) override {
        notes().note("serialize");
        std::memcpy(buffer, &factor_, sizeof factor_);
        std::memcpy(static_cast<char*>(buffer) + sizeof factor_, &elements_, sizeof elements_);
    }

    float factor_;
    int32_t elements_ = 0;

protected:
    void configured(char const* call, Dims const* inputs, int32_t maxBatch) {
        notes().note(call);
        notes().maxBatch = maxBatch;
        notes().inputExtents.assign(inputs[0].d, inputs[0].d + inputs[0].nbDims);
    }
};

class TimesV1 final : public Times<IPlugin> {
public:
    using Times::Times;
    void configure(Dims const* inputs, int32_t, Dims const*, int32_t, int32_t maxBatch) override {
        configured("configure", inputs, maxBatch);
    }
};

class TimesExt final : public Times<IPluginExt> {
public:
    using Times::Times;
    bool supportsFormat(DataType type, PluginFormat format) const override {
        notes().note("supportsFormat");
        bool const isTaken = type == DataType::kFLOAT || (type == DataType::kHALF && notes().takesHalf);
        return isTaken && format == PluginFormat::kNCHW && notes().takesHalf;
    }
    void configureWithFormat(Dims const* inputs, int32_t, Dims const*, int32_t, DataType type, PluginFormat format,
                             int32_t maxBatch) override {
        EXPECT_EQ(type, DataType::kFLOAT);
        EXPECT_EQ(format, PluginFormat::kNCHW);
        configured("configureWithFormat", inputs, maxBatch);
    }
};

IPluginLayer* add(INetworkDefinition& network, ITensor* x, TimesV1& plugin) { return network.addPlugin(&x, 1, plugin); }
IPluginLayer* add(INetworkDefinition& network, ITensor* x, TimesExt& plugin) {
    return network.addPluginExt(&x, 1, plugin);
}

/// The network y = 3 x, x [-1,2] for up to 4 rows, and engines of it.
template <class Plugin> class FirstGeneration : public testing::Test {
protected:
    struct Factory final : IPluginFactory {
        IPlugin* createPlugin(char const* layerName, void const* data, size_t size) override {
            name = layerName;
            if (answersNull) return nullptr;
            made = std::make_unique<Plugin>(0);
            EXPECT_EQ(size, sizeof made->factor_ + sizeof made->elements_);
            std::memcpy(&made->factor_, data, sizeof made->factor_);
            std::memcpy(&made->elements_, static_cast<char const*>(data) + sizeof made->factor_,
                        sizeof made->elements_);
            return made.get();
        }
        std::string name;
        bool answersNull = false;
        std::unique_ptr<Plugin> made;
    };

    FirstGeneration() {
        kept = std::make_unique<Notes>();
        builder_.reset(createInferBuilder(errors_));
        config_.reset(builder_->createBuilderConfig());
        define(Dims2(-1, 2), DataType::kFLOAT);
    }

    void define(Dims const& dims, DataType type) {
        uint32_t const explicitBatch = 1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
        network_.reset(builder_->createNetworkV2(explicitBatch));
        x_ = network_->addInput("x", type, dims);
    }

    IPluginLayer* addTimes(Plugin& plugin) {
        IPluginLayer* const layer = add(*network_, x_, plugin);
        if (layer == nullptr) return nullptr;
        layer->setName("times");
        layer->getOutput(0)->setName("y");
        network_->markOutput(*layer->getOutput(0));
        return layer;
    }

    Owned<ICudaEngine> build() {
        IOptimizationProfile* profile = builder_->createOptimizationProfile();
        profile->setDimensions("x", OptProfileSelector::kMIN, Dims2(1, 2));
        profile->setDimensions("x", OptProfileSelector::kOPT, Dims2(2, 2));
        profile->setDimensions("x", OptProfileSelector::kMAX, Dims2(4, 2));
        config_->addOptimizationProfile(profile);
        return Owned<ICudaEngine>(builder_->buildEngineWithConfig(*network_, *config_));
    }

    /// The saved engine, whose plugin is gone.
    Owned<IHostMemory> save() {
        Plugin plugin(3);
        addTimes(plugin);
        Owned<IHostMemory> file(build()->serialize());
        network_.reset();
        return file;
    }

    Owned<ICudaEngine> load(IHostMemory const& file, IPluginFactory* factory) {
        runtime_.reset(createInferRuntime(errors_));
        return Owned<ICudaEngine>(runtime_->deserializeCudaEngine(file.data(), file.size(), factory));
    }

    static Floats run(IExecutionContext& context, Floats x) {
        Floats y(x.size());
        void* bindings[]{x.data(), y.data()};
        EXPECT_TRUE(context.setBindingDimensions(0, Dims2(static_cast<int32_t>(x.size() / 2), 2)));
        EXPECT_TRUE(context.enqueueV2(bindings, nullptr, nullptr));
        return y;
    }
    static Floats run(ICudaEngine& engine, Floats const& x) {
        return run(*Owned<IExecutionContext>(engine.createExecutionContext()), x);
    }

    static constexpr bool kIsExt = std::is_same<Plugin, TimesExt>::value;
    static std::string name() { return kIsExt ? "IPluginExt" : "IPlugin"; }

    Errors errors_;
    Owned<IBuilder> builder_;
    Owned<IBuilderConfig> config_;
    Owned<INetworkDefinition> network_;
    Owned<IRuntime> runtime_;
    ITensor* x_ = nullptr;
};
using Classes = testing::Types<TimesV1, TimesExt>;
TYPED_TEST_SUITE(FirstGeneration, Classes);

TYPED_TEST(FirstGeneration, isTheVeryObjectInNetworkAndEngine) {
    TypeParam plugin(3);
    IPluginLayer* const layer = this->addTimes(plugin);
    ASSERT_NE(layer, nullptr) << this->errors_.last;
    EXPECT_EQ(&layer->getPlugin(), &plugin);
    EXPECT_EQ(layer->getType(), LayerType::kPLUGIN);
    EXPECT_EQ(this->network_->getLayer(0), layer);
    EXPECT_EQ(layer->getOutput(0)->getDimensions().nbDims, 2);
    {
        auto const engine = this->build();
        ASSERT_NE(engine, nullptr) << this->errors_.last;
        plugin.factor_ = 5;
        EXPECT_EQ(this->run(*engine, {1, 2}), (Floats{5, 10}));
    }
    this->network_.reset();
    EXPECT_EQ(notes().alive, 1); // the application keeps it
}

TYPED_TEST(FirstGeneration, isCalledInTheOrderThatNvidiasDocumentsPromise) {
    TypeParam plugin(3);
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    EXPECT_EQ(notes().calls, (Calls{"getOutputDimensions"}));
    notes().calls.clear();
    auto engine = this->build();
    ASSERT_NE(engine, nullptr) << this->errors_.last;
    std::string const configure = this->kIsExt ? "configureWithFormat" : "configure";
    Calls const begun{configure, "initialize", "getWorkspaceSize"};
    auto const& calls = notes().calls;
    auto const configured = std::find(calls.begin(), calls.end(), configure);
    EXPECT_EQ((Calls{configured, calls.end()}), begun);              // for the builder and for the engine
    EXPECT_EQ(std::count(calls.begin(), calls.end(), configure), 1); // some can be configured only once
    EXPECT_EQ(std::count(calls.begin(), configured, "supportsFormat"), this->kIsExt ? 1 : 0);
    EXPECT_EQ(notes().maxBatch, 4);
    EXPECT_EQ(notes().inputExtents, (Floats{2})); // without the batch axis
    notes().calls.clear();
    EXPECT_EQ(this->run(*engine, {1, 2}), (Floats{3, 6}));
    EXPECT_EQ(notes().calls, (Calls{"getWorkspaceSize", "enqueue"}));
    notes().calls.clear();
    EXPECT_NE(Owned<IHostMemory>(engine->serialize()), nullptr) << this->errors_.last;
    EXPECT_EQ(notes().calls, (Calls{"getSerializationSize", "serialize"})); // while it is initialized
    notes().calls.clear();
    engine.reset();
    EXPECT_EQ(notes().calls, (Calls{"terminate"}));
}

TYPED_TEST(FirstGeneration, isInitializedAndTerminatedInPairs) {
    TypeParam plugin(3);
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    {
        auto const engine = this->build();
        auto const second = this->build();
        ASSERT_NE(second, nullptr) << this->errors_.last;
        EXPECT_EQ(this->run(*engine, {1, 2}), (Floats{3, 6}));
        EXPECT_EQ(notes().count("initialize"), notes().count("terminate") + 1);
    }
    EXPECT_EQ(notes().count("initialize"), notes().count("terminate"));
}

TYPED_TEST(FirstGeneration, isMadeByTheFactoryOfTheProgramThatLoads) {
    auto const file = this->save();
    EXPECT_EQ(notes().alive, 0);
    typename TestFixture::Factory factory;
    {
        notes().calls.clear();
        auto const engine = this->load(*file, &factory);
        ASSERT_NE(engine, nullptr) << this->errors_.last;
        EXPECT_EQ(factory.name, "times");
        EXPECT_EQ(notes().calls.back(), "initialize");
        EXPECT_EQ(notes().count("configure") + notes().count("configureWithFormat"), 0); // the builder did that
        EXPECT_EQ(this->run(*engine, {1, 2, 3, 4, 5, 6}), (Floats{3, 6, 9, 12, 15, 18}));
        EXPECT_EQ(notes().batches, (std::vector<int32_t>{3}));
        Owned<IHostMemory> const again(engine->serialize());
        EXPECT_EQ(again->size(), file->size());
    }
    EXPECT_EQ(notes().calls.back(), "terminate");
    EXPECT_EQ(notes().alive, 1); // the factory's
}

TYPED_TEST(FirstGeneration, isMissedWithoutAFactory) {
    auto const file = this->save();
    EXPECT_EQ(this->load(*file, nullptr), nullptr);
    EXPECT_EQ(this->errors_.last,
              "deserializeCudaEngine: times (Plugin): its plugin is of class " + this->name() +
                  ", which the application makes, not a registry; pass deserializeCudaEngine(blob, size, "
                  "pluginFactory) an IPluginFactory whose createPlugin(\"times\", data, size) makes it");
}

TYPED_TEST(FirstGeneration, isMissedWhereTheFactoryAnswersNull) {
    auto const file = this->save();
    typename TestFixture::Factory factory;
    factory.answersNull = true;
    EXPECT_EQ(this->load(*file, &factory), nullptr);
    EXPECT_EQ(this->errors_.last, "deserializeCudaEngine: times (Plugin): plugin " + this->name() +
                                      ": IPluginFactory::createPlugin(\"times\", 8 bytes) returned null; expected the "
                                      "plugin of that layer, made from these bytes");
}

TYPED_TEST(FirstGeneration, thatTheFactoryMadeForAnotherLayerIsRefused) {
    auto const file = this->save();
    std::string const start = "deserializeCudaEngine: times (Plugin): plugin " + this->name() +
                              ": IPluginFactory::createPlugin(\"times\", 8 bytes) made a plugin ";
    std::string const end = "; make the plugin whose serialize() wrote these bytes";
    typename TestFixture::Factory factory;
    notes().outputs = 2;
    EXPECT_EQ(this->load(*file, &factory), nullptr);
    EXPECT_EQ(this->errors_.last, start + "with 2 outputs; the layer was built with 1" + end);
    notes().outputs = 1;
    notes().grow = 1;
    EXPECT_EQ(this->load(*file, &factory), nullptr);
    EXPECT_EQ(this->errors_.last, start + "whose output 0 is [x.0,3]; the layer was built with [x.0,2]" + end);
    notes().grow = 0;
    notes().takesHalf = false;
    EXPECT_EQ(this->load(*file, &factory) == nullptr, this->kIsExt);
    std::string const formats = start + "that does not support float32 linear; the layer was built with that" + end;
    EXPECT_EQ(this->errors_.last == formats, this->kIsExt) << this->errors_.last;
}

TYPED_TEST(FirstGeneration, computesForOneContextAtATime) {
    TypeParam plugin(3);
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    auto const engine = this->build();
    ASSERT_NE(engine, nullptr) << this->errors_.last;
    auto const runOften = [&](size_t rows) {
        Owned<IExecutionContext> const context(engine->createExecutionContext());
        Floats const x(rows * 2, 2), y(rows * 2, 6);
        for (int i = 0; i < 200; ++i) EXPECT_EQ(this->run(*context, x), y);
    };
    std::thread one([&] { runOften(1); });
    std::thread four([&] { runOften(4); });
    one.join();
    four.join();
    EXPECT_FALSE(notes().overlapped);
    EXPECT_EQ(std::count(notes().batches.begin(), notes().batches.end(), 1), 200);
    EXPECT_EQ(std::count(notes().batches.begin(), notes().batches.end(), 4), 200);
}

TYPED_TEST(FirstGeneration, worksInANetworkWithImplicitBatch) {
    TypeParam plugin(3);
    this->network_.reset(this->builder_->createNetwork());
    Dims x{};
    x.nbDims = 1;
    x.d[0] = 2;
    this->x_ = this->network_->addInput("x", DataType::kFLOAT, x);
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    this->builder_->setMaxBatchSize(4);
    Owned<ICudaEngine> const engine(this->builder_->buildCudaEngine(*this->network_));
    ASSERT_NE(engine, nullptr) << this->errors_.last;
    EXPECT_EQ(notes().maxBatch, 4);
    EXPECT_EQ(notes().inputExtents, (Floats{2}));
    Owned<IExecutionContext> const context(engine->createExecutionContext());
    Floats in{1, 2, 3, 4, 5, 6}, out(6);
    void* bindings[]{in.data(), out.data()};
    EXPECT_TRUE(context->execute(3, bindings)) << this->errors_.last;
    EXPECT_EQ(out, (Floats{3, 6, 9, 12, 15, 18}));
    EXPECT_EQ(notes().batches, (std::vector<int32_t>{3}));
}

TYPED_TEST(FirstGeneration, refusesInputsThatItCannotTake) {
    TypeParam plugin(3);
    std::string const method = this->kIsExt ? "addPluginExt" : "addPlugin";
    std::string const start = method + ": Plugin_0 (Plugin): ";
    std::string const ofClass = "a plugin of class " + this->name();
    this->define(Dims2(-1, 2), DataType::kINT32);
    EXPECT_EQ(this->addTimes(plugin), nullptr);
    EXPECT_EQ(this->errors_.last, start + "plugin " + this->name() + ": input 0 is int32, and " + ofClass +
                                      " computes with " + (this->kIsExt ? "float32, float16 or int8" : "float32") +
                                      "; convert the input, or derive from IPluginV2IOExt");
    this->define(Dims2(2, -1), DataType::kFLOAT);
    EXPECT_EQ(this->addTimes(plugin), nullptr);
    EXPECT_EQ(this->errors_.last, start + "plugin " + this->name() + ": " + ofClass +
                                      " does not support dynamic shapes after the batch axis, and input 0 is "
                                      "[2,in0.1]; derive from IPluginV2DynamicExt or IPluginV3");
    this->x_ = nullptr;
    EXPECT_EQ(this->addTimes(plugin), nullptr);
    EXPECT_EQ(this->errors_.last, method + ": input 0 is null");
}

TYPED_TEST(FirstGeneration, thatFailsIsNamed) {
    TypeParam plugin(3);
    notes().outputs = 0;
    EXPECT_EQ(this->addTimes(plugin), nullptr);
    EXPECT_NE(this->errors_.last.find("plugin " + this->name() + ": getNbOutputs returned 0; expected at least 1"),
              std::string::npos)
        << this->errors_.last;
    notes().outputs = 1;
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    notes().initializeStatus = 7;
    EXPECT_EQ(this->build(), nullptr);
    EXPECT_EQ(this->errors_.last, "buildEngineWithConfig: times (Plugin): plugin " + this->name() +
                                      ": initialize() returned 7; expected 0");
    EXPECT_EQ(notes().count("terminate"), 0); // nothing was begun
    notes().initializeStatus = 0;
    auto const engine = this->build();
    ASSERT_NE(engine, nullptr) << this->errors_.last;
    Owned<IExecutionContext> const context(engine->createExecutionContext());
    Floats x{1, 2}, y(2);
    void* bindings[]{x.data(), y.data()};
    EXPECT_TRUE(context->setBindingDimensions(0, Dims2(1, 2)));
    notes().enqueueStatus = 5;
    EXPECT_FALSE(context->enqueueV2(bindings, nullptr, nullptr));
    EXPECT_NE(this->errors_.last.find("times (Plugin): plugin " + this->name() +
                                      ": enqueue(inputs [1,2] float32 linear; outputs [1,2] float32 linear) returned "
                                      "5; expected 0"),
              std::string::npos)
        << this->errors_.last;
    notes().enqueueStatus = 0;
    EXPECT_TRUE(context->enqueueV2(bindings, nullptr, nullptr));
    EXPECT_EQ(y, (Floats{3, 6}));
}

TYPED_TEST(FirstGeneration, isKnownByItsObjectInTheProcessThatBuilds) {
    TypeParam plugin(3), other(4);
    ASSERT_NE(this->addTimes(plugin), nullptr) << this->errors_.last;
    ITensor* const y = this->network_->getOutput(0);
    this->network_->unmarkOutput(*y);
    IPluginLayer* const second = add(*this->network_, y, other);
    second->setName("times"); // as the first
    this->network_->markOutput(*second->getOutput(0));
    auto const engine = this->build();
    ASSERT_NE(engine, nullptr) << this->errors_.last;
    EXPECT_EQ(this->run(*engine, {1, 2}), (Floats{12, 24}));
}

/// The behaviour of public plugins of the time: terminate() ends what configure() made, and the saved data exist only
/// between initialize() and terminate().
class Frail final : public Times<IPlugin> {
public:
    using Times::Times;
    ~Frail() override { EXPECT_EQ(device_, nullptr) << "never terminated"; }
    void configure(Dims const* inputs, int32_t, Dims const*, int32_t, int32_t maxBatch) override {
        EXPECT_EQ(host_, nullptr) << "configured twice";
        host_ = std::make_unique<float>(factor_);
        configured("configure", inputs, maxBatch);
    }
    int32_t initialize() override {
        EXPECT_EQ(device_, nullptr) << "initialized twice";
        if (host_ == nullptr) return 1;
        device_ = std::make_unique<float>(*host_);
        return Times::initialize();
    }
    void terminate() override {
        host_.reset();
        device_.reset();
        Times::terminate();
    }
    int32_t enqueue(int32_t batch, void const* const* inputs, void** outputs, void* workspace,
                    cudaStream_t stream) override {
        return device_ ? Times::enqueue(batch, inputs, outputs, workspace, stream) : 2;
    }
    size_t getSerializationSize() override {
        EXPECT_NE(device_, nullptr) << "saved while it is not initialized";
        return Times::getSerializationSize();
    }

private:
    std::unique_ptr<float> host_;
    std::unique_ptr<float> device_;
};

TEST(FirstGeneration, livesOnceForBuilderEngineAndFile) {
    kept = std::make_unique<Notes>();
    Errors errors;
    Owned<IBuilder> const builder(createInferBuilder(errors));
    Owned<IBuilderConfig> const config(builder->createBuilderConfig());
    Owned<INetworkDefinition> const network(builder->createNetworkV2(0));
    builder->setMaxBatchSize(2);
    Dims x{};
    x.nbDims = 1;
    x.d[0] = 2;
    ITensor* const input = network->addInput("x", DataType::kFLOAT, x);
    Frail plugin(3);
    ITensor* const y = network->addPlugin(&input, 1, plugin)->getOutput(0);
    network->markOutput(*y);
    for (int time = 0; time < 2; ++time) { // an object may be built with again
        Owned<ICudaEngine> const engine(builder->buildEngineWithConfig(*network, *config));
        ASSERT_NE(engine, nullptr) << errors.last;
        Owned<IExecutionContext> const context(engine->createExecutionContext());
        Floats in{1, 2, 3, 4}, out(4);
        void* bindings[]{in.data(), out.data()};
        EXPECT_TRUE(context->execute(2, bindings)) << errors.last;
        EXPECT_EQ(out, (Floats{3, 6, 9, 12}));
        EXPECT_NE(Owned<IHostMemory>(engine->serialize()), nullptr) << errors.last;
        EXPECT_EQ(notes().count("configure"), time + 1);
        EXPECT_EQ(notes().count("initialize"), time + 1);
    }
    EXPECT_EQ(notes().count("terminate"), 2);
}

} // namespace
