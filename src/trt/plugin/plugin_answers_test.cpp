// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins whose answers would take forever, or end the process.

#include "support/api.h"
#include "support/api_plugins.h"

#include <array>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::KeepAboveV3;
using test::notes;
using test::TimesV2;

/// Adds up its inputs; accepts any of their types and formats except for the last one's.
class Undecided final : public TimesV2 {
public:
    Undecided() : TimesV2(1) {}
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t nbInputs, int32_t) override {
        ++asked;
        bool const isLast = pos == nbInputs;
        return !isLast || (acceptsLinear && inOut[pos].format == TensorFormat::kLINEAR);
    }
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t, IExprBuilder&) override {
        return inputs[0];
    }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<Undecided>().release(); }

    static inline int64_t asked = 0;
    static inline bool acceptsLinear = false;
};

std::unique_ptr<Defining> undecided() {
    Undecided::asked = 0;
    auto d = std::make_unique<Defining>();
    constexpr int32_t kInputs = 8; // each in 8 formats: 16 million combinations
    std::array<ITensor*, kInputs> inputs{};
    for (int32_t i = 0; i < kInputs; ++i)
        inputs.at(static_cast<size_t>(i)) = &d->input(("x" + std::to_string(i)).c_str(), {1, 2, 2, 2});
    Undecided plugin;
    IPluginV2Layer* const layer = d->network->addPluginV2(inputs.data(), kInputs, plugin);
    layer->setName("undecided");
    d->output(layer->getOutput(0));
    return d;
}

TEST(PluginAnswers, toQuestionsAboutFormatsAreAskedForABoundedNumberOfTimes) {
    Undecided::acceptsLinear = false;
    auto const d = undecided();
    EXPECT_EQ(d->builder->buildSerializedNetwork(*d->network, *d->config), nullptr);
    EXPECT_EQ(d->messages.lastError(),
              "buildSerializedNetwork: undecided (Plugin): plugin TimesV2, version 1, namespace \"\": was queried "
              "100000 times for types and formats, accepted those of the first 8 of 9 tensors, but no complete "
              "combination; expected a refusal at the first tensor that does not fit the earlier ones");
    EXPECT_EQ(Undecided::asked, 100000);
}

TEST(PluginAnswers, toQuestionsAboutFormatsEndWhereEnoughAreAccepted) {
    Undecided::acceptsLinear = true;
    auto const d = undecided();
    EXPECT_NE(std::unique_ptr<IHostMemory>(d->builder->buildSerializedNetwork(*d->network, *d->config)), nullptr)
        << d->messages.lastError();
    EXPECT_LT(Undecided::asked, 2000);
}

/// Its clones are one object, which counts its users.
class Counting final : public TimesV2 {
public:
    using TimesV2::TimesV2;
    ~Counting() override { ++ended; }
    IPluginV2DynamicExt* clone() const override {
        static Counting* one = nullptr;
        if (users++ == 0) one = std::make_unique<Counting>(factor()).release();
        return one;
    }
    void destroy() override {
        if (--users == 0) delete this;
    }
    static inline int users = 0;
    static inline int ended = 0;
};

TEST(PluginAnswers, thatAreAnObjectInUseAreRefused) {
    {
        Defining d;
        Counting plugin(2);
        ITensor* inputs[]{&d.input("x", {1, 2})};
        IPluginV2Layer* const layer = d.network->addPluginV2(inputs, 1, plugin);
        ASSERT_NE(layer, nullptr) << d.messages.lastError();
        layer->setName("counting");
        d.output(layer->getOutput(0));
        std::string const start = "plugin TimesV2, version 1, namespace \"\": clone returned ";
        std::string const end = "; expected a new one, since each is destroyed separately";
        EXPECT_EQ(d.network->addPluginV2(inputs, 1, plugin), nullptr);
        EXPECT_EQ(d.messages.lastError(), "addPluginV2: " + start + "an object that is in use already" + end);
        EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
        EXPECT_EQ(d.messages.lastError(),
                  "buildSerializedNetwork: counting (Plugin): " + start + "the object itself" + end);
        EXPECT_EQ(Counting::ended, 0);
        Counting::users = 1; // refused objects were not ended
    }
    EXPECT_EQ(Counting::ended, 2); // the application's and the network's
}

/// As many tactics as allowed, for as many combinations.
class Manifold final : public IPluginV3, public IPluginV3OneCore, public IPluginV3OneBuild, public IPluginV3OneRuntime {
public:
    IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
        switch (type) {
        case PluginCapabilityType::kCORE: return static_cast<IPluginV3OneCore*>(this);
        case PluginCapabilityType::kBUILD: return static_cast<IPluginV3OneBuild*>(this);
        case PluginCapabilityType::kRUNTIME: return static_cast<IPluginV3OneRuntime*>(this);
        }
        return nullptr;
    }
    IPluginV3* clone() noexcept override { return std::make_unique<Manifold>().release(); }
    char const* getPluginName() const noexcept override { return "Manifold"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                            int32_t) noexcept override {
        return 0;
    }
    int32_t getOutputDataTypes(DataType* outputs, int32_t, DataType const* inputs, int32_t) const noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t, DimsExprs* outputs, int32_t,
                            IExprBuilder&) noexcept override {
        outputs[0] = inputs[0];
        return 0;
    }
    bool supportsFormatCombination(int32_t, DynamicPluginTensorDesc const*, int32_t, int32_t) noexcept override {
        return true;
    }
    int32_t getFormatCombinationLimit() noexcept override { return INT32_MAX; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t getNbTactics() noexcept override { return tactics; }
    int32_t getValidTactics(int32_t* tactics, int32_t count) noexcept override {
        for (int32_t i = 0; i < count; ++i) tactics[i] = i + 1;
        return 0;
    }
    int32_t onShapeChange(PluginTensorDesc const*, int32_t, PluginTensorDesc const*, int32_t) noexcept override {
        return 0;
    }
    int32_t enqueue(PluginTensorDesc const*, PluginTensorDesc const*, void const* const*, void* const*, void*,
                    cudaStream_t) noexcept override {
        return 0;
    }
    IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return clone(); }
    PluginFieldCollection const* getFieldsToSerialize() noexcept override { return &fields; }

    static inline int32_t tactics = 0;
    static inline PluginFieldCollection fields{0, nullptr};
};

/// Adds it, and returns the error of the build.
std::string errorOfManifold(int32_t tactics, PluginFieldCollection const& fields) {
    Defining d;
    Manifold::tactics = tactics;
    Manifold::fields = fields;
    Manifold plugin;
    ITensor* inputs[]{&d.input("x", {1, 2, 2, 2})};
    IPluginV3Layer* const layer = d.network->addPluginV3(inputs, 1, nullptr, 0, plugin);
    if (layer == nullptr) return d.messages.lastError();
    layer->setName("manifold");
    d.output(layer->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    return d.messages.lastError();
}

TEST(PluginAnswers, mayNotBeAFieldWithElementsAtAddressNull) {
    PluginField const field("values", nullptr, PluginFieldType::kFLOAT64, INT32_MAX); // 16 GiB
    std::string const error = errorOfManifold(0, {1, &field});
    EXPECT_TRUE(error.ends_with("field values has 2147483647 elements at address null")) << error;
}

TEST(PluginAnswers, areWeighedUpToABoundedNumberOfWays) {
    EXPECT_EQ(errorOfManifold(10'000, {0, nullptr}),
              "buildSerializedNetwork: manifold (Plugin): plugin Manifold, version 1, namespace \"\": has more than "
              "100000 variants (combinations of types and formats with a tactic each); expected fewer");
}

} // namespace
} // namespace tenon
