// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Texts = std::vector<std::string>;

TEST(Settings, withoutEffectSayItOnce) {
    Defining d;
    ITensor& x = d.input("x", {1, 3});
    d.output(d.network->addSoftMax(x)->getOutput(0));
    d.config->setMaxAuxStreams(0); // as in every engine on a CPU
    d.config->setTilingOptimizationLevel(TilingOptimizationLevel::kNONE);
    EXPECT_EQ(d.messages.warnings, Texts());
    for (int round = 0; round < 2; ++round) {
        d.config->setMaxAuxStreams(2);
        EXPECT_EQ(d.config->getMaxAuxStreams(), 2);
        d.build();
    }
    EXPECT_EQ(d.messages.warnings,
              (Texts{"IBuilderConfig::setMaxAuxStreams has no effect on a device without streams, such as a CPU: "
                     "layers run one after another"}));
    Defining other;
    other.config->setMaxAuxStreams(2);
    other.output(other.network->addSoftMax(other.input("x", {1, 3}))->getOutput(0));
    other.build();
    EXPECT_EQ(other.messages.warnings.size(), 1U); // once for each application's builder
}

TEST(Settings, flagsWithoutEffectAreNamedByTheBuild) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    d.config->setFlag(BuilderFlag::kGPU_FALLBACK);
    d.config->setFlag(BuilderFlag::kINT8);
    d.build();
    EXPECT_EQ(d.messages.warnings,
              (Texts{"BuilderFlag::kINT8 has no effect if no tensor has a range: give ranges with setDynamicRange or a "
                     "calibrator",
                     "BuilderFlag::kGPU_FALLBACK has no effect: there is no DLA to fall back from"}));
}

TEST(Settings, areKept) {
    Defining d;
    IBuilderConfig& config = *d.config;
    config.setHardwareCompatibilityLevel(HardwareCompatibilityLevel::kAMPERE_PLUS);
    EXPECT_EQ(config.getHardwareCompatibilityLevel(), HardwareCompatibilityLevel::kAMPERE_PLUS);
    config.setHardwareCompatibilityLevel(static_cast<HardwareCompatibilityLevel>(77));
    EXPECT_EQ(d.messages.lastError(), "setHardwareCompatibilityLevel: no HardwareCompatibilityLevel has the number 77");
    config.setQuantizationFlag(QuantizationFlag::kCALIBRATE_BEFORE_FUSION);
    EXPECT_TRUE(config.getQuantizationFlag(QuantizationFlag::kCALIBRATE_BEFORE_FUSION));
    config.clearQuantizationFlag(QuantizationFlag::kCALIBRATE_BEFORE_FUSION);
    EXPECT_EQ(config.getQuantizationFlags(), 0U);
    EXPECT_EQ(d.messages.warnings, Texts());
}

TEST(Settings, ofABuilderSurviveItsReset) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {-1, 3}))->getOutput(0));
    d.range("x", {1, 3}, {2, 3}, {4, 3});
    d.builder->setMaxThreads(1);
    int32_t const atFirst = Defining().builder->getMaxThreads();
    d.builder->reset();
    EXPECT_EQ(d.builder->getMaxThreads(), atFirst);
    Running r(*d.build()); // the configuration's profile is still there
    EXPECT_EQ(r.engine->getProfileShape("x", 0, OptProfileSelector::kMAX).d[0], 4);
}

TEST(Settings, ofAProfileForAnInputThatThereIsNotAreTold) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {-1, 3}))->getOutput(0));
    IOptimizationProfile& profile = *d.builder->createOptimizationProfile();
    for (auto const selector : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        EXPECT_TRUE(profile.setDimensions("x", selector, test::dims({2, 3})));
        EXPECT_TRUE(profile.setDimensions("X", selector, test::dims({4, 3})));
    }
    EXPECT_EQ(d.config->addOptimizationProfile(&profile), 0);
    d.build();
    EXPECT_EQ(d.messages.warnings,
              Texts{"optimization profile 0 has a range for X, which is not an input of the network; it is ignored"});
}

TEST(Settings, platformTakesTheTypesThatProgramsAskForOnlyBehindAYes) {
    Defining d;
    EXPECT_TRUE(d.builder->platformHasFastFp16());
    EXPECT_TRUE(d.builder->platformHasFastInt8());
    EXPECT_FALSE(d.builder->platformHasTf32());
    EXPECT_EQ(d.builder->getNbDLACores(), 0);
    EXPECT_GE(d.builder->getMaxDLABatchSize(), 1); // min(batch, this) stays a batch
}

TEST(Settings, deviceTypesAreToldBack) {
    Defining d;
    ILayer* const layer = d.network->addSoftMax(d.input("x", {1, 3}));
    EXPECT_FALSE(d.config->isDeviceTypeSet(layer));
    EXPECT_EQ(d.config->getDeviceType(layer), DeviceType::kGPU);
    d.config->setDeviceType(layer, DeviceType::kGPU);
    EXPECT_TRUE(d.config->isDeviceTypeSet(layer));
    d.config->setDefaultDeviceType(DeviceType::kDLA);
    EXPECT_EQ(d.config->getDefaultDeviceType(), DeviceType::kDLA);
    EXPECT_EQ(d.config->getDeviceType(layer), DeviceType::kGPU);
    d.config->resetDeviceType(layer);
    EXPECT_FALSE(d.config->isDeviceTypeSet(layer));
    EXPECT_EQ(d.config->getDeviceType(layer), DeviceType::kDLA);
    d.config->reset();
    EXPECT_EQ(d.config->getDeviceType(layer), DeviceType::kGPU);
}

TEST(Settings, poolingStridesAreOneUntilTheyAreSet) { // as the API documents
    Defining d;
    IPoolingLayer* const layer = d.network->addPoolingNd(d.input("x", {1, 1, 4, 4}), PoolingType::kMAX, Dims2(2, 2));
    EXPECT_EQ(layer->getStrideNd().nbDims, 2);
    EXPECT_EQ(layer->getStrideNd().d[0], 1);
    EXPECT_EQ(layer->getOutput(0)->getDimensions().d[3], 3);
}

TEST(StronglyTyped, networksLetLayersDecideTheTypes) {
    Defining d;
    auto const flags = 1U << static_cast<int32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);
    d.network.reset(d.builder->createNetworkV2(flags));
    ILayer* layer = d.network->addSoftMax(d.input("x", {1, 3}));
    layer->setName("softmax");
    layer->setPrecision(DataType::kHALF);
    EXPECT_FALSE(layer->precisionIsSet());
    EXPECT_EQ(d.messages.lastError(), "ILayer::setPrecision: softmax (Softmax): in a strongly typed network a layer's "
                                      "inputs determine the type that it computes in; convert them with addCast");
    layer->setOutputType(0, DataType::kHALF);
    EXPECT_FALSE(layer->outputTypeIsSet(0));
    d.output(layer->getOutput(0));
    d.messages.errors.clear();
    layer->getOutput(0)->setType(DataType::kFLOAT); // the present value
    EXPECT_TRUE(d.messages.errors.empty());
    layer->getOutput(0)->setType(DataType::kHALF);
    EXPECT_EQ(d.messages.errors.size(), 1U);
    Running r(*d.build());
    EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kFLOAT);
}

TEST(Context, keepsAVerbosityOfMarkersUpToTheEngines) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    Running r(*d.build());
    EXPECT_EQ(r.context->getNvtxVerbosity(), ProfilingVerbosity::kLAYER_NAMES_ONLY); // the engine's
    EXPECT_FALSE(r.context->setNvtxVerbosity(ProfilingVerbosity::kDETAILED));
    EXPECT_TRUE(r.context->setNvtxVerbosity(ProfilingVerbosity::kNONE));
    EXPECT_EQ(r.context->getNvtxVerbosity(), ProfilingVerbosity::kNONE);
}

TEST(Context, missesShapesOfShapeInputsOnlyWhereThereAreSome) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {-1, 3}))->getOutput(0));
    d.range("x", {1, 3}, {2, 3}, {4, 3});
    Running plain(*d.build());
    EXPECT_TRUE(plain.context->allInputShapesSpecified()); // trivially, as documented
    EXPECT_FALSE(plain.context->allInputDimensionsSpecified());

    Defining s;
    IShuffleLayer* shuffle = s.network->addShuffle(s.input("x", {6}));
    shuffle->setInput(1, s.input("shape", {2}, DataType::kINT32));
    s.output(shuffle->getOutput(0));
    int32_t const values[]{2, 3};
    IOptimizationProfile* profile = s.builder->createOptimizationProfile();
    for (auto select : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
        profile->setShapeValues("shape", select, values, 2);
    s.config->addOptimizationProfile(profile);
    Running r(*s.build());
    EXPECT_FALSE(r.context->allInputShapesSpecified());
    EXPECT_TRUE(r.context->setInputTensorAddress("shape", values));
    EXPECT_TRUE(r.context->allInputShapesSpecified());
}

/// Records the calls; stops at a requested step.
class Monitor final : public IProgressMonitor {
public:
    void phaseStart(char const* phase, char const* parent, int32_t steps) override {
        EXPECT_EQ(parent ? parent : std::string(), open.empty() ? "" : open.back());
        open.emplace_back(phase);
        left[phase] = steps;
    }
    bool stepComplete(char const* phase, int32_t step) override {
        EXPECT_TRUE(!open.empty() && open.back() == phase);
        EXPECT_EQ(step, done[phase]++);
        --left[phase];
        return --stepsUntilStop != 0;
    }
    void phaseFinish(char const* phase) override {
        EXPECT_TRUE(!open.empty() && open.back() == phase);
        open.pop_back();
    }

    Texts open;
    std::map<std::string, int32_t> left, done;
    int32_t stepsUntilStop = -1;
};

TEST(ProgressMonitor, seesPhasesInsideOneAnotherUntilTheyAreDone) {
    Defining d;
    Monitor monitor;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    d.config->setProgressMonitor(&monitor);
    d.build();
    EXPECT_TRUE(monitor.open.empty());
    ASSERT_GT(monitor.left.size(), 2U);
    for (auto const& [phase, left] : monitor.left) EXPECT_EQ(left, 0) << phase;
}

TEST(ProgressMonitor, stopsTheBuildAtAnyStep) {
    for (int32_t step = 1; step <= 8; ++step) {
        Defining d;
        Monitor monitor;
        d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
        d.config->setProgressMonitor(&monitor);
        monitor.stepsUntilStop = step;
        EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
        EXPECT_EQ(d.messages.lastError(), "buildSerializedNetwork: the progress monitor stopped the build");
        EXPECT_TRUE(monitor.open.empty()); // all are finished nevertheless
        int32_t all = 0;
        for (auto const& [phase, done] : monitor.done) all += done;
        EXPECT_EQ(all, step);
    }
}

class ThrowingMonitor final : public IProgressMonitor {
public:
    void phaseStart(char const*, char const*, int32_t) override {}
    bool stepComplete(char const*, int32_t) override { return !stops; }
    void phaseFinish(char const*) override { throw std::runtime_error("no more"); }

    bool stops = false;
};

TEST(ProgressMonitor, mayThrowWhereAPhaseEnds) {
    for (bool const stops : {false, true}) { // also while an exception propagates
        Defining d;
        ThrowingMonitor monitor;
        monitor.stops = stops;
        d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
        d.config->setProgressMonitor(&monitor);
        std::unique_ptr<IHostMemory> const plan(d.builder->buildSerializedNetwork(*d.network, *d.config));
        EXPECT_EQ(plan == nullptr, stops);
        ASSERT_FALSE(d.messages.errors.empty());
        EXPECT_EQ(d.messages.errors[0], "IProgressMonitor::phaseFinish threw \"no more\"");
    }
}

/// Another machine that builds the engine again uses them too.
TEST(Settings, ofKernelsAreInThePlan) {
    auto const planHas = [](std::string_view text, auto const& set) {
        Defining d;
        d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
        set(*d.config);
        auto const file = d.build();
        std::string_view const bytes(static_cast<char const*>(file->data()), file->size());
        return bytes.find(text) != std::string_view::npos;
    };
    auto const nothing = [](IBuilderConfig&) {};
    auto const flag = [](BuilderFlag which) { return [which](IBuilderConfig& config) { config.setFlag(which); }; };
    EXPECT_TRUE(planHas("\"independent\":true", flag(BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE)));
    EXPECT_FALSE(planHas("\"independent\"", nothing));
    EXPECT_TRUE(planHas("\"sparse\":true", flag(BuilderFlag::kSPARSE_WEIGHTS)));
    EXPECT_FALSE(planHas("\"sparse\"", nothing));
    EXPECT_TRUE(planHas("\"compiles\":false", [](IBuilderConfig& config) { config.setTacticSources(0); }));
    EXPECT_FALSE(planHas("\"compiles\"", nothing));
}

TEST(Settings, keepTheTacticSources) {
    Defining d;
    IBuilderConfig& config = *d.config;
    TacticSources const jit = 1U << static_cast<int32_t>(TacticSource::kJIT_CONVOLUTIONS);
    TacticSources const edge = 1U << static_cast<int32_t>(TacticSource::kEDGE_MASK_CONVOLUTIONS);
    EXPECT_EQ(config.getTacticSources(), edge | jit); // all but the libraries, as documented
    EXPECT_TRUE(config.setTacticSources(edge));
    EXPECT_EQ(config.getTacticSources(), edge);
    EXPECT_FALSE(config.setTacticSources(1U << 9));
    EXPECT_EQ(d.messages.lastError(), "setTacticSources: the mask has sources that do not exist; see TacticSource");
    EXPECT_EQ(config.getTacticSources(), edge); // unchanged
    EXPECT_TRUE(config.setTacticSources(0));
    EXPECT_EQ(config.getTacticSources(), 0U);
    EXPECT_EQ(d.messages.warnings, Texts());
}

TEST(Settings, ofDlasAndOfSharedMemorySayThatNothingFollowsThem) {
    Defining d;
    d.config->setMemoryPoolLimit(MemoryPoolType::kDLA_LOCAL_DRAM, 4096);
    EXPECT_EQ(d.messages.warnings.back(),
              "IBuilderConfig::setMemoryPoolLimit has no effect for a pool of a DLA: there is no DLA");
    d.config->setMemoryPoolLimit(MemoryPoolType::kTACTIC_SHARED_MEMORY, 4096);
    EXPECT_EQ(d.messages.warnings.back(), "IBuilderConfig::setMemoryPoolLimit has no effect for kTACTIC_SHARED_MEMORY: "
                                          "cuBLASLt does not report the shared memory of its kernels");
}

} // namespace
} // namespace tenon
