// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a build asks of a calibrator, and what comes of its answers.

#include "support/api.h"
#include "support/api_plugins.h"
#include "support/calibrators.h"

#include <tenon/plugin_base.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Calibrator;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;
using Json = nlohmann::json;
using Texts = std::vector<std::string>;
using MinMax = Calibrator<IInt8MinMaxCalibrator>;
using Entropy2 = Calibrator<IInt8EntropyCalibrator2>;

std::string const kVersion = "TRT-" + std::to_string(NV_TENSORRT_VERSION) + "-";

/// x [1,4] → relu → y
struct ReluNetwork : Defining {
    explicit ReluNetwork(IInt8Calibrator* calibrator, std::vector<int64_t> const& extents = {1, 4}) {
        config->setFlag(BuilderFlag::kINT8);
        config->setInt8Calibrator(calibrator);
        output(network->addActivation(input("x", extents), ActivationType::kRELU)->getOutput(0));
    }
    /// The error of a build that fails, without the name of the method.
    std::string refusal() {
        std::unique_ptr<IHostMemory> const file(builder->buildSerializedNetwork(*network, *config));
        EXPECT_EQ(file, nullptr);
        std::string const kWhere = "buildSerializedNetwork: INT8 calibration: ";
        std::string const error = messages.lastError();
        EXPECT_TRUE(error.starts_with(kWhere)) << error;
        return error.substr(std::min(kWhere.size(), error.size()));
    }
    bool warned(std::string const& of) const {
        return std::ranges::any_of(messages.warnings, [&](auto const& text) { return text.find(of) != text.npos; });
    }
};

// The bits of float32(2 / 127) and float32(3 / 127), by Python's struct
constexpr char const* kLines = "x: 3cc18306\ny: 3c810204\n";

TEST(Calibration, givesEachTensorTheRangeOfItsValuesInAllBatches) {
    MinMax calibrator({{{1, -3, 0.5F, 0}}, {{2, -1, 0, 0}}});
    ReluNetwork d(&calibrator);
    EXPECT_EQ(d.config->getInt8Calibrator(), &calibrator);
    d.build();
    EXPECT_EQ(calibrator.next, 2U);
    EXPECT_EQ(calibrator.asked, Texts{"x"});
    EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\n" + kLines);
    EXPECT_TRUE(d.messages.warnings.empty());
}

TEST(Calibration, asksForNoBatchWhereThereIsACache) {
    MinMax calibrator;
    calibrator.cache = std::string("TRT-7103-MinMaxCalibration\n") + kLines; // of any version
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_TRUE(calibrator.asked.empty());
    EXPECT_EQ(calibrator.written, "");
    EXPECT_TRUE(d.messages.warnings.empty());
}

TEST(Calibration, asksNothingWhereAllTensorsHaveARange) {
    MinMax calibrator;
    ReluNetwork d(&calibrator);
    d.network->getInput(0)->setDynamicRange(-1, 1);
    d.network->getOutput(0)->setDynamicRange(-1, 1);
    d.build();
    EXPECT_TRUE(calibrator.asked.empty());
}

TEST(Calibration, leavesRangesThatTheProgramSet) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator);
    d.network->getInput(0)->setDynamicRange(-1, 1);
    d.build();
    EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\ny: 3c810204\n");
}

TEST(Calibration, isNotDoneToAnswerWhetherANetworkIsSupported) {
    MinMax calibrator({{{1, -3, 0.5F, 0}}});
    ReluNetwork d(&calibrator);
    EXPECT_TRUE(d.builder->isNetworkSupported(*d.network, *d.config));
    EXPECT_EQ(calibrator.next, 0U);
}

/// y = x element by element, in float32 or as integers.
class CopyBoth final : public test::TimesV2 {
public:
    CopyBoth() : TimesV2(1) {}
    char const* getPluginType() const override { return "CopyBoth"; }
    IPluginV2DynamicExt* clone() const override { return std::make_unique<CopyBoth>().release(); }
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t, int32_t) override {
        return inOut[pos].format == TensorFormat::kLINEAR && inOut[pos].type == inOut[0].type &&
               (inOut[0].type == DataType::kFLOAT ? takesFloat : takesInt8);
    }
    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const* out,
                         int32_t) override {
        scales = {in->desc.scale, out->desc.scale};
        types = {in->desc.type, out->desc.type};
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t) override {
        size_t const size = in->type == DataType::kINT8 ? 1 : sizeof(float);
        std::memcpy(outputs[0], inputs[0], 4 * size);
        return 0;
    }

    static inline bool takesInt8 = true;
    static inline bool takesFloat = true;
    static inline Floats scales;
    static inline std::vector<DataType> types;
};

class CopyBothCreator final : public test::TimesV2Creator {
public:
    char const* getPluginName() const override { return "CopyBoth"; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) override {
        return std::make_unique<CopyBoth>().release();
    }
};

/// x [1,4] → the plugin, requested to compute in int8 → y
struct PluginNetwork : Defining {
    explicit PluginNetwork(IInt8Calibrator* calibrator, BuilderFlag constraints) {
        for (BuilderFlag const flag : {BuilderFlag::kINT8, constraints}) config->setFlag(flag);
        config->setInt8Calibrator(calibrator);
        ITensor* x = &input("x", {1, 4});
        CopyBoth plugin;
        ILayer* const layer = network->addPluginV2(&x, 1, plugin);
        layer->setPrecision(DataType::kINT8);
        output(layer->getOutput(0));
    }
};

// q = clamp(round half to even(x / scale), -128, 127), y = scale q, and both scales are 2 / 127.
TEST(Calibration, tellsPluginsThatTakeInt8TheirScales) {
    test::Registered<CopyBothCreator> const creator;
    CopyBoth::takesInt8 = true;
    MinMax calibrator({{{1, -2, 0.5F, 0}}});
    PluginNetwork d(&calibrator, BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    Running r(*d.build());
    float const scale = 2 / 127.0F;
    EXPECT_EQ(CopyBoth::scales, (Floats{scale, scale}));
    EXPECT_EQ(r.run({2, -2, 0.7F, 5}, 4), (Floats{127 * scale, -127 * scale, 44 * scale, 127 * scale}));
}

TEST(Calibration, isSeenInTheLayersOfTheEngine) {
    test::Registered<CopyBothCreator> const creator;
    CopyBoth::takesInt8 = true;
    MinMax calibrator({{{1, -2, 0.5F, 0}}});
    PluginNetwork d(&calibrator, BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    Running const r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    Json const layers = Json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON))["Layers"];
    auto const plugin =
        std::ranges::find_if(layers, [](Json const& layer) { return layer["LayerType"] == "PluginV2"; });
    ASSERT_NE(plugin, layers.end());
    for (char const* side : {"Inputs", "Outputs"}) {
        EXPECT_EQ((*plugin)[side][0]["Format/Datatype"], "Row major Int8 format");
        EXPECT_EQ((*plugin)[side][0]["Scale"], 2 / 127.0F);
    }
}

TEST(Calibration, leavesPluginsThatRefuseInt8RealNumbers) {
    test::Registered<CopyBothCreator> const creator;
    CopyBoth::takesInt8 = false;
    MinMax calibrator({{{1, -2, 0.5F, 0}}});
    PluginNetwork d(&calibrator, BuilderFlag::kPREFER_PRECISION_CONSTRAINTS);
    Running r(*d.build());
    EXPECT_EQ(CopyBoth::types, (std::vector{DataType::kFLOAT, DataType::kFLOAT}));
    EXPECT_EQ(r.run({2, -2, 0.7F, 5}, 4), (Floats{2, -2, 0.7F, 5}));
}

TEST(CalibrationError, namesAPluginThatRefusesFloat32) {
    test::Registered<CopyBothCreator> const creator;
    CopyBoth::takesFloat = false;
    MinMax calibrator({{{1, -2, 0.5F, 0}}});
    PluginNetwork d(&calibrator, BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
    CopyBoth::takesFloat = true;
    EXPECT_EQ(file, nullptr);
    std::string const error = d.messages.lastError();
    EXPECT_TRUE(error.starts_with("buildSerializedNetwork: INT8 calibration: ")) << error;
    EXPECT_NE(error.find("the plugin accepts no combination of types and formats. Queries and results:\n  tensor 0 as "
                         "float32 linear cpu: no"),
              std::string::npos)
        << error;
}

TEST(Calibration, givesInputsAndOutputsThatAreToBeInt8TheirScales) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator);
    d.network->getInput(0)->setType(DataType::kINT8);
    d.network->getOutput(0)->setType(DataType::kINT8);
    Running r(*d.build());
    std::vector<int8_t> x{-127, 127, 1, 0};
    std::vector<int8_t> y(4);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    // The scales are 3 / 127 and 2 / 127: y = clamp(round(1.5 x)) where x > 0
    EXPECT_EQ(y, (std::vector<int8_t>{0, 127, 2, 0}));
}

TEST(Calibration, runsAtTheOptimumOfTheFirstProfileOrOfItsOwn) {
    for (bool const hasOwn : {false, true}) {
        size_t const extent = hasOwn ? 3 : 2;
        MinMax calibrator({{Floats(extent, 3)}}); // more elements than those would not be inspected
        ReluNetwork d(&calibrator, {-1});
        d.range("x", {1}, {2}, {8});
        IOptimizationProfile* const own = d.builder->createOptimizationProfile();
        for (auto const at : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
            own->setDimensions("x", at, test::dims({3}));
        EXPECT_TRUE(d.config->setCalibrationProfile(hasOwn ? own : nullptr));
        EXPECT_EQ(d.config->getCalibrationProfile(), hasOwn ? own : nullptr);
        Running r(*d.build());
        EXPECT_EQ(calibrator.next, 1U);
        EXPECT_TRUE(r.context->setInputShape("x", test::dims({8}))); // the engine has the application's profile
    }
}

TEST(Calibration, namesTheInputsInTheOrderOfTheNetwork) {
    MinMax calibrator({{{1, 2}, {3, 4}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor& b = d.input("b", {2});
    ITensor& a = d.input("a", {2});
    d.output(d.network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0));
    d.build();
    EXPECT_EQ(calibrator.asked, (Texts{"b", "a"}));
    // 2 / 127, 4 / 127, 6 / 127
    EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\nb: 3c810204\na: 3d010204\ny: 3d418306\n");
}

TEST(Calibration, takesARangeOf1ForATensorOfZeros) {
    MinMax calibrator({{{0, -0.0F, 0, 0}}});
    ReluNetwork d(&calibrator);
    d.network->getInput(0)->setType(DataType::kINT8);
    Running r(*d.build());
    EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\nx: 0\ny: 0\n"); // as TensorRT writes it
    std::vector<int8_t> x{-127, 127, 1, 0};
    Floats y(4);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_NEAR(y[1], 1, 1e-6);
}

// With one value of each magnitude the divergence is 0 if nothing is cut. Ranges are half of a bin of 2048 wider than
// the values: 3 · 2048.5 / 2048 and 2 · 2048.5 / 2048
TEST(Calibration, byEntropyKeepsAllOfAFewValues) {
    Entropy2 calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_EQ(calibrator.written, kVersion + "EntropyCalibration2\nx: 3cc18f1e\ny: 3c810a14\n");
}

TEST(Calibration, byAQuantileLeavesLargerValuesAway) {
    Floats values(100, 1);
    values[7] = 10;
    test::LegacyCalibrator calibrator({{values}});
    calibrator.quantile = 0.99;
    ReluNetwork d(&calibrator, {100});
    d.build();
    // 1 is in the bin that ends at 205 · 10 / 2048 = 1.0009765625: / 127 is 0.00788171
    EXPECT_EQ(calibrator.written, kVersion + "LegacyCalibration\nx: 3c012245\ny: 3c012245\n");

    test::LegacyCalibrator again;
    again.histograms = calibrator.histograms;
    again.cutoff = 0.05;
    ReluNetwork other(&again, {100});
    other.build();
    EXPECT_TRUE(again.asked.empty()); // the histograms are those of the first one
    EXPECT_EQ(again.written, kVersion + "LegacyCalibration\nx: 3b810204\ny: 3b810204\n"); // 0.5 / 127
}

/// y = 4 x by a network of its own, whose intermediate tensor is called "inside".
class FourTimes final : public tenon::NetworkPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("x", "[...]").output("y", "[...]"); }
    std::vector<ITensor*> addLayers(INetworkDefinition& network, NetworkTensors inputs) override {
        ITensor* const twice = network.addElementWise(*inputs[0], *inputs[0], ElementWiseOperation::kSUM)->getOutput(0);
        twice->setName("inside");
        return {network.addElementWise(*twice, *twice, ElementWiseOperation::kSUM)->getOutput(0)};
    }
};

TEST(Calibration, leavesWhatAPluginThatIsANetworkComputesInBetween) {
    tenon::PluginCreators const creators(
        {tenon::definePlugin<FourTimes>("FourTimes", "1", tenon::PluginGeneration::kV3)}, "");
    int32_t count = 0;
    auto* const creator = static_cast<IPluginCreatorV3One*>(creators.list(count)[0]);
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor* x = &d.input("x", {4});
    PluginFieldCollection const none{};
    std::unique_ptr<IPluginV3> const plugin(creator->createPlugin("p", &none, TensorRTPhase::kBUILD));
    d.output(d.network->addPluginV3(&x, 1, nullptr, 0, *plugin)->getOutput(0));
    d.build();
    EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\nx: 3cc18306\ny: 3dc18306\n"); // 3 / 127, 12 / 127
}

// Tensors in a loop stay in floating point; the sum of x and x, three times.
TEST(Calibration, isDoneAroundLoops) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor& x = d.input("x", {4});
    ILoop* const loop = d.network->addLoop();
    loop->addTripLimit(d.integers({}, {3}), TripLimit::kCOUNT);
    IRecurrenceLayer* const sum = loop->addRecurrence(x);
    ITensor* const next = d.network->addElementWise(*sum->getOutput(0), x, ElementWiseOperation::kSUM)->getOutput(0);
    sum->setInput(1, *next);
    ITensor* const all = loop->addLoopOutput(*sum->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0);
    d.output(d.network->addActivation(*all, ActivationType::kRELU)->getOutput(0));
    Running r(*d.build());
    EXPECT_NE(calibrator.written.find("\nx: 3cc18306\n"), std::string::npos) << calibrator.written;
    EXPECT_NE(calibrator.written.find("\ny: 3d810204\n"), std::string::npos) << calibrator.written; // 8 / 127
    EXPECT_EQ(r.run({1, -3, 0.5F, 2}, 4), (Floats{4, 0, 2, 8}));

    MinMax again;
    again.cache = calibrator.written;
    d.config->setInt8Calibrator(&again);
    d.build();
    EXPECT_TRUE(again.asked.empty());
}

TEST(Calibration, isDoneAroundConditionals) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}, {{-1, -3, -0.5F, -2}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor& x = d.input("x", {4});
    ITensor& most = *d.network->addReduce(x, ReduceOperation::kMAX, 1, false)->getOutput(0);
    IIfConditional* const choice = d.network->addIfConditional();
    choice->setCondition(
        *d.network->addElementWise(most, d.floats({}, {0}), ElementWiseOperation::kGREATER)->getOutput(0));
    ITensor& inside = *choice->addInput(x)->getOutput(0);
    ITensor& negative = *d.network->addUnary(inside, UnaryOperation::kNEG)->getOutput(0);
    d.output(choice->addOutput(inside, negative)->getOutput(0));
    Running r(*d.build());
    EXPECT_NE(calibrator.written.find("\nx: 3cc18306\n"), std::string::npos) << calibrator.written;
    EXPECT_NE(calibrator.written.find("\ny: 3cc18306\n"), std::string::npos) << calibrator.written;
    EXPECT_EQ(r.run({-1, -3, -0.5F, -2}, 4), (Floats{1, 3, 0.5F, 2}));
}

// The rows of x that are not 0, doubled: their number is known at run time only.
TEST(Calibration, seesTensorsWhoseSizeTheRunTells) {
    MinMax calibrator({{{0, -3, 0, 2}}, {{0, 0, 0, 0}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor& x = d.input("x", {4});
    ITensor& rows = *d.network->addNonZero(x)->getOutput(0);
    IShuffleLayer* const indices = d.network->addShuffle(rows);
    indices->setReshapeDimensions(test::dims({-1}));
    ITensor& kept = *d.network->addGather(x, *indices->getOutput(0), 0)->getOutput(0);
    kept.setName("kept");
    d.output(d.network->addElementWise(kept, kept, ElementWiseOperation::kSUM)->getOutput(0));
    d.build();
    EXPECT_NE(calibrator.written.find("\nkept: 3cc18306\n"), std::string::npos) << calibrator.written; // 3 / 127
    EXPECT_NE(calibrator.written.find("\ny: 3d418306\n"), std::string::npos) << calibrator.written;    // 6 / 127
}

TEST(Calibration, isDoneAnewWhereTheHistogramsAreOfAnotherNetwork) {
    test::LegacyCalibrator calibrator({{{1, -3, 0.5F, 2}}});
    calibrator.histograms = "TenonHistograms-1\nconv1: 0 0 7\n";
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_EQ(d.messages.warnings, Texts{"The histogram cache is not used: it belongs to another network: it has no "
                                         "histogram for x, y. Calibrating again."});
    EXPECT_EQ(calibrator.written, kVersion + "LegacyCalibration\n" + kLines);
}

TEST(Calibration, saysWhichTensorsAHistogramCacheLacks) {
    test::LegacyCalibrator calibrator({{{1, -3, 0.5F, 2}}});
    calibrator.histograms = "TenonHistograms-1\nx: 0 0 7\n";
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_EQ(d.messages.warnings,
              Texts{"The histogram cache has no histogram for y, which stay in floating point. It belongs to another "
                    "network, or to other tensor names; calibrate again without the cache."});
    EXPECT_EQ(calibrator.written, kVersion + "LegacyCalibration\nx: 0\n");
    EXPECT_EQ(calibrator.next, 0U);
}

TEST(Calibration, isDoneAnewWhereTheHistogramsAreNone) {
    test::LegacyCalibrator calibrator({{{1, -3, 0.5F, 2}}});
    calibrator.histograms = "TenonHistograms-1\nx: 7 0.5 0 1 1\n";
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_EQ(d.messages.warnings,
              Texts{"The histogram cache is not used: histogram cache, line 2: x: found 2 bins of width 0.5 for values "
                    "up to 7; expected the largest value in the last bin. Calibrating again."});
    EXPECT_EQ(calibrator.written, kVersion + "LegacyCalibration\n" + kLines);
}

// ---- progress

class Monitor final : public IProgressMonitor {
public:
    void phaseStart(char const* phase, char const*, int32_t) override { open.emplace_back(phase); }
    bool stepComplete(char const* phase, int32_t) override { return ++done[phase] < most; }
    void phaseFinish(char const* phase) override {
        EXPECT_EQ(open.back(), phase);
        open.pop_back();
    }
    int32_t most = 99; // steps of one phase
    Texts open;
    std::map<std::string, int32_t> done;
};

TEST(Calibration, showsEachBatchToTheProgressMonitorWhichCanStopIt) {
    for (bool const stops : {false, true}) {
        MinMax calibrator({{{1, -3, 0.5F, 0}}, {{2, -1, 0, 0}}, {{2, -1, 0, 0}}});
        ReluNetwork d(&calibrator);
        Monitor monitor;
        if (stops) monitor.most = 2;
        d.config->setProgressMonitor(&monitor);
        std::unique_ptr<IHostMemory> const file(d.builder->buildSerializedNetwork(*d.network, *d.config));
        EXPECT_EQ(file == nullptr, stops);
        EXPECT_EQ(monitor.done["Running a batch"], stops ? 2 : 3);
        EXPECT_EQ(monitor.done["Calibrating"], stops ? 0 : 1);
        EXPECT_TRUE(monitor.open.empty());
        EXPECT_EQ(d.messages.lastError(),
                  stops ? "buildSerializedNetwork: INT8 calibration: the progress monitor stopped the build" : "");
    }
}

// ---- caches that are not used

TEST(Calibration, isDoneAnewWhereTheCacheIsNone) {
    struct Case {
        std::string cache;
        std::string why;
    };
    std::vector<Case> const cases{
        {"TRT-8601-EntropyCalibration2\nx: 3c010a14\n",
         "it is of EntropyCalibration2, and the calibrator requires MinMaxCalibration"},
        {"TRT-8601-MinMaxCalibration\nconv1: 3c010a14\nconv2: 3c010a14\n",
         "it belongs to another network: it has no scale for x, y"},
        {"TRT-8601-MinMaxCalibration\nx: 3c010a14\ny 3c010a14\n",
         "calibration cache, line 3: found \"y 3c010a14\"; expected NAME: VALUE"},
        {"\x7f"
         "ELF",
         "calibration cache, line 1: found \"?ELF\"; expected TRT-VERSION-ALGORITHM, such as "
         "TRT-8601-EntropyCalibration2"},
    };
    for (Case const& one : cases) {
        MinMax calibrator({{{1, -3, 0.5F, 2}}});
        calibrator.cache = one.cache;
        ReluNetwork d(&calibrator);
        d.build();
        EXPECT_EQ(d.messages.warnings, Texts{"The calibration cache is not used: " + one.why + ". Calibrating again."});
        EXPECT_EQ(calibrator.written, kVersion + "MinMaxCalibration\n" + kLines);
    }
}

TEST(Calibration, saysWhichTensorsACacheLacks) {
    MinMax calibrator;
    calibrator.cache = "TRT-8601-MinMaxCalibration\nx: 3cc18306\n";
    ReluNetwork d(&calibrator);
    d.build();
    EXPECT_EQ(d.messages.warnings,
              Texts{"The calibration cache has no scale for y, which stay in floating point. It belongs to another "
                    "network, or to other tensor names; calibrate again without the cache."});
}

// ---- calibrators that have no effect

TEST(Calibration, isNotDoneWithoutTheFlag) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator);
    d.config->clearFlag(BuilderFlag::kINT8);
    d.build();
    EXPECT_EQ(calibrator.next, 0U);
    EXPECT_EQ(d.messages.warnings, Texts{"IBuilderConfig::setInt8Calibrator has no effect without BuilderFlag::kINT8: "
                                         "no tensor becomes int8; set that "
                                         "flag"});
}

TEST(Calibration, isNotDoneWhereLayersSayWhatIsQuantized) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    Defining d;
    d.config->setFlag(BuilderFlag::kINT8);
    d.config->setInt8Calibrator(&calibrator);
    ITensor& scale = d.floats({}, {0.5F});
    ITensor* const q = d.network->addQuantize(d.input("x", {1, 4}), scale, DataType::kINT8)->getOutput(0);
    d.output(d.network->addDequantize(*q, scale, DataType::kFLOAT)->getOutput(0));
    d.build();
    EXPECT_EQ(calibrator.next, 0U);
    EXPECT_EQ(d.messages.warnings,
              Texts{"IBuilderConfig::setInt8Calibrator has no effect for a network with quantize and dequantize "
                    "layers: these layers define what is quantized"});
}

// ---- calibrators with errors

TEST(CalibrationError, namesTheLackOfBatches) {
    MinMax calibrator;
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(),
              "the calibrator's getBatch returned false for the first batch, and its readCalibrationCache returned "
              "none; expected at least one batch, or a cache of this network");
    calibrator.cache = "TRT-8601-LegacyCalibration\n";
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(),
              "the calibrator's getBatch returned false for the first batch, and the returned cache is not used (it is "
              "of LegacyCalibration, and the calibrator requires MinMaxCalibration); expected at least one batch, or a "
              "cache of this network");
    EXPECT_EQ(calibrator.written, "");
}

class Forgetful final : public Calibrator<IInt8MinMaxCalibrator> {
public:
    bool getBatch(void**, char const**, int32_t) override { return true; }
};

TEST(CalibrationError, namesAnInputWithoutAddress) {
    Forgetful calibrator;
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(), "the calibrator's getBatch returned true, but no address for input x "
                                                  "(bindings[0] is null); expected false after the last batch");
}

class Throwing final : public Calibrator<IInt8MinMaxCalibrator> {
public:
    explicit Throwing(bool anything) : anything_(anything) {}
    bool getBatch(void**, char const**, int32_t) override {
        if (anything_) throw 7;
        throw std::runtime_error("no such file");
    }

private:
    bool anything_;
};

TEST(CalibrationError, namesWhatTheCalibratorThrew) {
    Throwing calibrator(false);
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(), "the calibrator's getBatch threw \"no such file\"");
    Throwing other(true);
    EXPECT_EQ(ReluNetwork(&other).refusal(), "the calibrator's getBatch threw something that is not a std::exception");
}

class OfNoAlgorithm final : public Calibrator<IInt8MinMaxCalibrator> {
public:
    CalibrationAlgoType getAlgorithm() override { return static_cast<CalibrationAlgoType>(4); }
};

TEST(CalibrationError, namesAnAlgorithmThatIsNone) {
    OfNoAlgorithm calibrator;
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(),
              "the calibrator's getAlgorithm returned 4; expected a CalibrationAlgoType, 0 to 3");
}

TEST(CalibrationError, namesAQuantileThatIsNone) {
    test::LegacyCalibrator calibrator({{{1, -3, 0.5F, 2}}});
    calibrator.quantile = 99;
    EXPECT_EQ(ReluNetwork(&calibrator).refusal(), "the calibrator's getQuantile returned 99; expected 0 to 1");
}

TEST(CalibrationError, namesTheTensorWhoseValuesAreNotFinite) {
    for (float const value : {std::nanf(""), INFINITY}) {
        MinMax calibrator({{{1, -3, 0.5F, 2}}, {{1, value, 0, 0}}});
        EXPECT_EQ(ReluNetwork(&calibrator).refusal(),
                  "batch 1: x has values that are not finite (NaN or infinity), so it has no range; check the inputs "
                  "of this batch, or set its range with setDynamicRange");
    }
}

TEST(CalibrationError, namesACalibrationProfileThatDoesNotFit) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator, {-1});
    d.range("x", {1}, {2}, {8});
    IOptimizationProfile* const own = d.builder->createOptimizationProfile();
    for (auto const at : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX})
        own->setDimensions("x", at, test::dims({1, 4}));
    d.config->setCalibrationProfile(own);
    EXPECT_EQ(d.refusal(), "the calibration profile: input x has shape [x.0]; the profile's opt [1,4] does not fit it");
}

TEST(CalibrationError, namesTheLackOfValues) {
    MinMax calibrator({{{1, 2}}}); // of which a batch has none
    ReluNetwork d(&calibrator, {-1, 4});
    d.range("x", {0, 4}, {0, 4}, {8, 4});
    EXPECT_EQ(d.refusal(), "no tensor has any values in 1 batch: an extent of the inputs is 0; expected others of the "
                           "calibration profile (setCalibrationProfile, or else the first profile at kOPT)");
    EXPECT_EQ(calibrator.written, "");
}

TEST(CalibrationError, namesAProfileThatIsNotWhole) {
    MinMax calibrator({{{1, -3, 0.5F, 2}}});
    ReluNetwork d(&calibrator, {-1});
    IOptimizationProfile* const own = d.builder->createOptimizationProfile();
    own->setDimensions("x", OptProfileSelector::kOPT, test::dims({4}));
    EXPECT_FALSE(d.config->setCalibrationProfile(own));
    EXPECT_EQ(d.messages.lastError(), "setCalibrationProfile: x: no dimensions at kMIN");
}

} // namespace
} // namespace tenon
