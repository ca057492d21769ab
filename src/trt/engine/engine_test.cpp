// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// From a network to results, as a program does it.

#include "support/api.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <unistd.h>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;

std::vector<float> const kLogits{1, 2, 3, 1, 1, 1};
std::vector<float> const kSoftmax{0.09003057F, 0.24472848F, 0.66524094F, 1 / 3.F, 1 / 3.F, 1 / 3.F}; // numpy

/// y = softmax of x [N,3], N from 1 to 8
std::unique_ptr<IHostMemory> softmaxEngine(ProfilingVerbosity verbosity = ProfilingVerbosity::kLAYER_NAMES_ONLY) {
    Defining d;
    d.config->setProfilingVerbosity(verbosity);
    ISoftMaxLayer* layer = d.network->addSoftMax(d.input("x", {-1, 3}));
    layer->setAxes(2);
    layer->setName("softmax");
    d.output(layer->getOutput(0));
    d.range("x", {1, 3}, {2, 3}, {8, 3});
    return d.build();
}

void expectNear(std::vector<float> const& found, std::vector<float> const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << "element " << i;
}

TEST(Engine, isBuiltSavedLoadedAndRun) {
    Running r(*softmaxEngine());
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{2, 3}));
    expectNear(r.run(kLogits, 6), kSoftmax);
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{1, 3}));
    expectNear(r.run({1, 2, 3}, 3), {kSoftmax.begin(), kSoftmax.begin() + 3});
    EXPECT_TRUE(r.messages.errors.empty()) << r.messages.lastError();
}

/// One convolution with weights of float32, whose result is the input times 2.
ITensor& doubled(Defining& d, ITensor& x) {
    static float const kTwo[]{2};
    Weights const weights{DataType::kFLOAT, kTwo, 1};
    return *d.network->addConvolutionNd(x, 1, Dims2{1, 1}, weights, {DataType::kFLOAT, nullptr, 0})->getOutput(0);
}

TEST(Engine, takesFloatsOfAnotherWidthThanItComputesWith) {
    Defining d;
    ITensor& x = d.input("x", {1, 1, 1, 3});
    x.setType(DataType::kHALF);
    d.output(&doubled(d, x));
    EXPECT_EQ(x.getType(), DataType::kHALF);
    Running r(*d.build());
    EXPECT_EQ(r.engine->getTensorDataType("x"), DataType::kHALF);
    EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kFLOAT);
    std::vector<uint16_t> const halves{0x3C00, 0xC000, 0x3800}; // 1, -2, 0.5
    std::vector<float> y(3);
    ASSERT_TRUE(r.context->setInputTensorAddress("x", halves.data()));
    ASSERT_TRUE(r.context->setTensorAddress("y", y.data()));
    ASSERT_TRUE(r.context->enqueueV3(nullptr)) << r.messages.lastError();
    expectNear(y, {2, -4, 1});
}

TEST(Engine, runsByAnArrayOfBindings) {
    Running r(*softmaxEngine());
    std::vector<float> x = kLogits;
    std::vector<float> y(6);
    r.context->setInputShape("x", Dims2{2, 3});
    void* bindings[]{x.data(), y.data()};
    EXPECT_TRUE(r.context->executeV2(bindings));
    expectNear(y, kSoftmax);
}

TEST(Engine, tellsItsInputsAndOutputs) {
    Running r(*softmaxEngine());
    ASSERT_EQ(r.engine->getNbIOTensors(), 2);
    EXPECT_STREQ(r.engine->getIOTensorName(0), "x");
    EXPECT_STREQ(r.engine->getIOTensorName(1), "y");
    EXPECT_EQ(r.engine->getTensorIOMode("x"), TensorIOMode::kINPUT);
    EXPECT_EQ(r.engine->getTensorIOMode("y"), TensorIOMode::kOUTPUT);
    EXPECT_EQ(r.engine->getTensorIOMode("z"), TensorIOMode::kNONE);
    EXPECT_EQ(r.engine->getTensorDataType("x"), DataType::kFLOAT);
    EXPECT_EQ(r.engine->getTensorFormat("y"), TensorFormat::kLINEAR);
    EXPECT_EQ(r.engine->getTensorVectorizedDim("y"), -1);
    EXPECT_EQ(extents(r.engine->getTensorShape("x")), (Extents{-1, 3}));
    EXPECT_EQ(extents(r.engine->getProfileShape("x", 0, OptProfileSelector::kMAX)), (Extents{8, 3}));
    EXPECT_EQ(r.engine->getNbOptimizationProfiles(), 1);
    EXPECT_EQ(r.engine->getIOTensorName(2), nullptr);
    EXPECT_EQ(r.messages.lastError(), "getIOTensorName: input or output 2 of an engine that has 2");
}

TEST(Engine, refusesAShapeOutsideOfTheProfileAndStaysUsable) {
    Running r(*softmaxEngine());
    EXPECT_FALSE(r.context->setInputShape("x", Dims2{9, 3}));
    EXPECT_EQ(r.messages.lastError(), "setInputShape: input x has shape [9,3]; axis 0 is outside 1 to 8, the range of "
                                      "optimization profile 0 ([1,3] to [8,3])");
    EXPECT_FALSE(r.context->setInputShape("x", Dims2{2, 4}));
    EXPECT_FALSE(r.context->setInputShape("y", Dims2{2, 3}));
    EXPECT_EQ(r.messages.lastError(), "setInputShape: y is an output; expected an input");
    EXPECT_FALSE(r.context->setInputShape("z", Dims2{2, 3}));
    EXPECT_EQ(r.messages.lastError(), "setInputShape: no input or output is called z; there are: x, y");
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{2, 3}));
    expectNear(r.run(kLogits, 6), kSoftmax);
}

TEST(Engine, saysWhichAddressIsMissing) {
    Running r(*softmaxEngine());
    std::vector<float> x = kLogits;
    r.context->setInputShape("x", Dims2{2, 3});
    r.context->setTensorAddress("x", x.data());
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(
        r.messages.lastError(),
        "enqueueV3: output y has no address; set it with setTensorAddress or in the array of bindings before running");
    EXPECT_FALSE(r.context->setTensorAddress("q", x.data()));
}

TEST(Engine, infersTheShapesOfItsOutputs) {
    Running r(*softmaxEngine());
    char const* missing = nullptr;
    EXPECT_EQ(r.context->inferShapes(1, &missing), 1);
    EXPECT_STREQ(missing, "x");
    EXPECT_FALSE(r.context->allInputDimensionsSpecified());
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{-1, 3}));
    r.context->setInputShape("x", Dims2{5, 3});
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    EXPECT_TRUE(r.context->allInputDimensionsSpecified());
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{5, 3}));
    EXPECT_EQ(extents(r.context->getTensorStrides("y")), (Extents{3, 1}));
    EXPECT_EQ(r.context->getMaxOutputSize("y"), 60);
    EXPECT_EQ(r.context->getTensorShape("q").nbDims, -1);
}

class Growing final : public IOutputAllocator {
public:
    void* reallocateOutputAsync(char const*, void*, uint64_t size, uint64_t, cudaStream_t) override {
        memory.resize(std::max<size_t>(memory.size(), size));
        return refuses ? nullptr : memory.data();
    }
    void notifyShape(char const* name, Dims const& dims) override { shapes[name] = extents(dims); }

    bool refuses = false;
    std::vector<char> memory;
    std::map<std::string, Extents> shapes;
};

TEST(Engine, asksAnOutputAllocatorForMemory) {
    Running r(*softmaxEngine());
    Growing allocator;
    std::vector<float> x = kLogits;
    r.context->setInputShape("x", Dims2{2, 3});
    r.context->setTensorAddress("x", x.data());
    EXPECT_TRUE(r.context->setOutputAllocator("y", &allocator));
    EXPECT_EQ(r.context->getOutputAllocator("y"), &allocator);
    ASSERT_TRUE(r.context->enqueueV3(nullptr)) << r.messages.lastError();
    EXPECT_EQ(allocator.shapes["y"], (Extents{2, 3}));
    std::vector<float> y(6);
    std::memcpy(y.data(), allocator.memory.data(), 24);
    expectNear(y, kSoftmax);
    allocator.refuses = true;
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: output y: the output allocator returned no memory for 24 bytes");
}

class Times final : public IProfiler {
public:
    void reportLayerTime(char const* layerName, float ms) override { all.emplace_back(layerName, ms); }
    std::vector<std::pair<std::string, float>> all;
};

TEST(Engine, reportsTheTimesOfItsLayers) {
    Running r(*softmaxEngine());
    Times times;
    r.context->setProfiler(&times);
    r.context->setInputShape("x", Dims2{2, 3});
    r.run(kLogits, 6);
    ASSERT_EQ(times.all.size(), static_cast<size_t>(r.engine->getNbLayers()));
    EXPECT_EQ(times.all[0].first, "softmax");
    EXPECT_GT(times.all[0].second, 0.F);
    EXPECT_TRUE(r.context->reportToProfiler()); // documented: without effect if each run reports
    EXPECT_EQ(times.all.size(), static_cast<size_t>(r.engine->getNbLayers()));
    r.context->setEnqueueEmitsProfile(false);
    r.run(kLogits, 6);
    EXPECT_EQ(times.all.size(), static_cast<size_t>(r.engine->getNbLayers()));
    EXPECT_TRUE(r.context->reportToProfiler());
    EXPECT_EQ(times.all.size(), 2 * static_cast<size_t>(r.engine->getNbLayers()));
}

class Recorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return static_cast<int32_t>(errors.size()); }
    ErrorCode getErrorCode(int32_t i) const noexcept override { return errors[static_cast<size_t>(i)].first; }
    ErrorDesc getErrorDesc(int32_t i) const noexcept override { return errors[static_cast<size_t>(i)].second.c_str(); }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override { errors.clear(); }
    bool reportError(ErrorCode code, ErrorDesc desc) noexcept override {
        errors.emplace_back(code, desc);
        return false;
    }
    RefCount incRefCount() noexcept override { return ++users; }
    RefCount decRefCount() noexcept override { return --users; }

    std::vector<std::pair<ErrorCode, std::string>> errors;
    int32_t users = 0;
};

TEST(Engine, keepsErrorsInARecorder) {
    Recorder recorder;
    {
        Running r(*softmaxEngine());
        r.context->setErrorRecorder(&recorder);
        EXPECT_EQ(recorder.users, 1);
        EXPECT_FALSE(r.context->setInputShape("x", Dims2{9, 3}));
    }
    EXPECT_EQ(recorder.users, 0);
    ASSERT_EQ(recorder.getNbErrors(), 1);
    EXPECT_EQ(recorder.getErrorCode(0), ErrorCode::kINVALID_ARGUMENT);
}

class ThrowingRecorder final : public IErrorRecorder {
public:
    int32_t getNbErrors() const override { return 0; }
    ErrorCode getErrorCode(int32_t) const override { return ErrorCode::kSUCCESS; }
    ErrorDesc getErrorDesc(int32_t) const override { return ""; }
    bool hasOverflowed() const override { return false; }
    void clear() override {}
    bool reportError(ErrorCode, ErrorDesc) override { throw std::runtime_error("reportError"); }
    RefCount incRefCount() override { return throwsAtOnce ? throw std::runtime_error("incRefCount") : 1; }
    RefCount decRefCount() override { throw std::runtime_error("decRefCount"); }

    bool throwsAtOnce = true;
};

TEST(Engine, livesWithARecorderThatThrows) {
    ThrowingRecorder recorder;
    Running r(*softmaxEngine());
    r.context->setErrorRecorder(&recorder);
    EXPECT_EQ(r.messages.lastError(), "IErrorRecorder::incRefCount threw an exception");
    EXPECT_EQ(r.context->getErrorRecorder(), nullptr);
    recorder.throwsAtOnce = false;
    r.context->setErrorRecorder(&recorder);
    EXPECT_FALSE(r.context->setInputShape("x", Dims2{9, 3}));
    ASSERT_GE(r.messages.errors.size(), 3U);
    EXPECT_EQ(r.messages.errors[1], "IErrorRecorder::reportError threw an exception");
    EXPECT_NE(r.messages.errors[2].find("setInputShape"), std::string::npos); // the logger receives it nevertheless
    r.context->setErrorRecorder(nullptr);
    EXPECT_EQ(r.messages.lastError(), "IErrorRecorder::decRefCount threw an exception");
}

TEST(Engine, showsTheTensorsOfAConvolution) {
    test::Defining d;
    std::vector<float> const kernel{2};
    IConvolutionLayer* const layer =
        d.network->addConvolutionNd(d.input("x", {1, 1, 2, 2}), 1, test::dims({1, 1}), test::weights(kernel), {});
    d.output(layer->getOutput(0));
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    Running const r(*d.build());
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    auto const layers = nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON))["Layers"];
    std::string outputs;
    for (auto const& one : layers) {
        if (one["LayerType"] == "Convolution") outputs = one["Outputs"].dump();
    }
    EXPECT_NE(outputs.find("\"Dimensions\":[1,1,2,2]"), std::string::npos) << layers.dump();
}

/// A layer of this type as JSON, of an engine with all details.
nlohmann::json describedLayer(Running const& r, std::string const& type) {
    std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
    auto const all = nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON));
    for (auto const& one : all["Layers"]) {
        if (one["LayerType"] == type) return one;
    }
    ADD_FAILURE() << "no " << type << " in " << all.dump();
    return {};
}

// The keys and spellings that trt-engine-explorer reads.
TEST(Engine, describesAConvolutionAsEngineExplorersReadIt) {
    test::Defining d;
    std::vector<float> const kernel(4 * 2 * 3 * 5, 0.5F);
    std::vector<float> const bias(4, 1);
    IConvolutionLayer* const layer = d.network->addConvolutionNd(d.input("x", {1, 2, 8, 8}), 4, test::dims({3, 5}),
                                                                 test::weights(kernel), test::weights(bias));
    layer->setMetadata("made by hand");
    layer->setPaddingNd(test::dims({1, 2}));
    d.output(d.network->addActivation(*layer->getOutput(0), ActivationType::kRELU)->getOutput(0));
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    auto const found = describedLayer(Running(*d.build()), "Convolution");
    EXPECT_EQ(found["ParameterType"], "Convolution");
    EXPECT_EQ(found["Kernel"], (std::vector<int>{3, 5}));
    EXPECT_EQ(found["OutMaps"], 4);
    EXPECT_EQ(found["Groups"], 1);
    EXPECT_EQ(found["Stride"], (std::vector<int>{1, 1}));
    EXPECT_EQ(found["Dilation"], (std::vector<int>{1, 1}));
    EXPECT_EQ(found["PrePadding"], (std::vector<int>{1, 2}));
    EXPECT_EQ(found["PostPadding"], (std::vector<int>{1, 2}));
    EXPECT_EQ(found["Weights"], (nlohmann::json{{"Type", "Float"}, {"Count", 120}}));
    EXPECT_EQ(found["Bias"], (nlohmann::json{{"Type", "Float"}, {"Count", 4}}));
    EXPECT_EQ(found["HasBias"], 1);
    EXPECT_EQ(found["HasReLU"], 1);
    EXPECT_EQ(found["Activation"], "RELU");
    EXPECT_EQ(found["Metadata"], "made by hand");
}

TEST(Engine, describesPoolingAsEngineExplorersReadIt) {
    test::Defining d;
    auto* const layer = d.network->addPoolingNd(d.input("x", {1, 2, 8, 8}), PoolingType::kAVERAGE, test::dims({2, 2}));
    d.output(layer->getOutput(0));
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    auto const found = describedLayer(Running(*d.build()), "Pooling");
    EXPECT_EQ(found["PoolingType"], "AVERAGE");
    EXPECT_EQ(found["WindowSize"], (std::vector<int>{2, 2}));
    EXPECT_EQ(found["Stride"], (std::vector<int>{1, 1}));
    EXPECT_EQ(found["Metadata"], "");
}

TEST(Engine, tellsWhyAReformatIsThere) {
    test::Defining d;
    ITensor& x = d.input("x", {1, 4, 8, 8});
    x.setAllowedFormats(1U << static_cast<int>(TensorFormat::kCHW4));
    d.output(d.network->addSoftMax(x)->getOutput(0));
    d.config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    EXPECT_EQ(describedLayer(Running(*d.build()), "Reformat")["Origin"], "REFORMAT");
}

TEST(Engine, isDescribedByAnInspector) {
    Running r(*softmaxEngine(ProfilingVerbosity::kDETAILED));
    EXPECT_EQ(r.engine->getProfilingVerbosity(), ProfilingVerbosity::kDETAILED);
    EXPECT_STREQ(r.engine->getTensorFormatDesc("x"), "Row major linear FP32");
    std::unique_ptr<IEngineInspector> inspector(r.engine->createEngineInspector());
    std::string layer = inspector->getLayerInformation(0, LayerInformationFormat::kONELINE);
    EXPECT_TRUE(layer.starts_with(
        "Name: softmax, LayerType: Softmax, Inputs: [ { Name: x, Location: Device, Dimensions: [-1,3], "
        "Format/Datatype: Row major linear FP32 }], Outputs: [ { Name: y, Location: Device, Dimensions: [-1,3], "
        "Format/Datatype: Row major linear FP32 }], ParameterType: Softmax, Axis: 1, Log: false, TacticName: "))
        << layer;
    ASSERT_TRUE(r.context->setInputShape("x", Dims2{2, 3}));
    ASSERT_TRUE(inspector->setExecutionContext(r.context.get()));
    layer = inspector->getLayerInformation(0, LayerInformationFormat::kJSON);
    auto const json = nlohmann::json::parse(layer);
    EXPECT_EQ(json["Outputs"][0]["Dimensions"], (std::vector<int>{2, 3}));
    EXPECT_EQ(inspector->getLayerInformation(1, LayerInformationFormat::kJSON), nullptr);
    EXPECT_EQ(inspector->getLayerInformation(0, static_cast<LayerInformationFormat>(7)), nullptr);
    EXPECT_EQ(r.messages.lastError(), "getLayerInformation: no LayerInformationFormat has the number 7");
}

TEST(Engine, tellsTheInspectorNoMoreThanItsVerbosity) {
    Running names(*softmaxEngine());
    std::unique_ptr<IEngineInspector> inspector(names.engine->createEngineInspector());
    EXPECT_EQ(nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON)),
              nlohmann::json::parse(R"({"Layers": ["softmax"], "Bindings": ["x", "y"]})"));
    EXPECT_STREQ(inspector->getEngineInformation(LayerInformationFormat::kONELINE),
                 "Layers:\nsoftmax\n\nBindings:\nx\ny\n");
    Running none(*softmaxEngine(ProfilingVerbosity::kNONE));
    inspector.reset(none.engine->createEngineInspector());
    EXPECT_STREQ(inspector->getLayerInformation(0, LayerInformationFormat::kONELINE), "");
    EXPECT_EQ(nlohmann::json::parse(inspector->getEngineInformation(LayerInformationFormat::kJSON)),
              nlohmann::json::parse(R"({"Layers": [], "Bindings": ["x", "y"]})"));
}

TEST(Engine, canBeSavedAgain) {
    Running r(*softmaxEngine());
    std::unique_ptr<IHostMemory> again(r.engine->serialize());
    ASSERT_NE(again, nullptr) << r.messages.lastError();
    Running second(*again);
    second.context->setInputShape("x", Dims2{2, 3});
    expectNear(second.run(kLogits, 6), kSoftmax);
}

TEST(Engine, runsInMemoryThatTheProgramGives) {
    Running r(*softmaxEngine());
    std::unique_ptr<IExecutionContext> context(
        r.engine->createExecutionContext(ExecutionContextAllocationStrategy::kUSER_MANAGED));
    context->setInputShape("x", Dims2{2, 3});
    std::vector<float> x = kLogits;
    std::vector<float> y(6);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_FALSE(context->enqueueV3(nullptr));
    EXPECT_NE(r.messages.lastError().find("the context has no memory"), std::string::npos);
    std::vector<std::max_align_t> memory(static_cast<size_t>(r.engine->getDeviceMemorySizeV2()) + 64);
    context->setDeviceMemoryV2(memory.data(), r.engine->getDeviceMemorySizeV2());
    EXPECT_TRUE(context->enqueueV3(nullptr)) << r.messages.lastError();
    expectNear(y, kSoftmax);
}

TEST(Engine, isReadFromAStream) {
    /// In pieces of at most `most` bytes; after the last one, `end` is returned.
    class Reader final : public IStreamReader {
    public:
        Reader(IHostMemory const& file, int64_t most, int64_t end) : file_(file), most_(most), end_(end) {}
        int64_t read(void* destination, int64_t nbBytes) override {
            int64_t const left = static_cast<int64_t>(file_.size()) - at_;
            wasAskedPastItsEnd = wasAskedPastItsEnd || nbBytes > left;
            int64_t const count = std::min({nbBytes, left, most_});
            if (count == 0) return end_;
            std::memcpy(destination, static_cast<char*>(file_.data()) + at_, static_cast<size_t>(count));
            at_ += count;
            return count;
        }
        bool wasAskedPastItsEnd = false;

    private:
        IHostMemory const& file_;
        int64_t most_;
        int64_t end_;
        int64_t at_ = 0;
    };
    auto const file = softmaxEngine();
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    for (int64_t const most : {INT64_MAX, int64_t{100}}) {
        for (int64_t const end : {0, -1}) {
            Reader reader(*file, most, end);
            std::unique_ptr<ICudaEngine> engine(runtime->deserializeCudaEngine(reader));
            EXPECT_NE(engine, nullptr) << messages.lastError();
            EXPECT_FALSE(reader.wasAskedPastItsEnd); // an application may use the file again
        }
    }
    Reader broken(*file, 0, -1);
    EXPECT_EQ(runtime->deserializeCudaEngine(broken), nullptr);
    EXPECT_EQ(messages.lastError(), "deserializeCudaEngine: the stream reader returned -1 for a request of 64 bytes");
}

TEST(Engine, refusesADamagedFile) {
    auto const file = softmaxEngine();
    test::Messages messages;
    std::unique_ptr<IRuntime> runtime(createInferRuntime(messages));
    EXPECT_EQ(runtime->deserializeCudaEngine(file->data(), file->size() / 2), nullptr);
    EXPECT_NE(messages.lastError().find("deserializeCudaEngine: "), std::string::npos);
    EXPECT_EQ(runtime->deserializeCudaEngine("not an engine", 13), nullptr);
    EXPECT_EQ(runtime->deserializeCudaEngine(nullptr, 13), nullptr);
    EXPECT_EQ(messages.lastError(), "deserializeCudaEngine: blob is null");
    EXPECT_EQ(messages.errors.size(), 3U);
}

TEST(Builder, saysWhichSettingIsNotSupported) {
    Defining d;
    EXPECT_FALSE(d.config->setRemoteAutoTuningConfig("somewhere"));
    EXPECT_EQ(
        d.messages.lastError(),
        "setRemoteAutoTuningConfig: not supported: IBuilderConfig::setRemoteAutoTuningConfig: kernels are timed on "
        "the machine that builds");
}

TEST(Builder, buildsNoPlainEngineWhereAnotherIsAskedFor) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    d.config->setEngineCapability(EngineCapability::kSAFETY);
    EXPECT_EQ(d.config->getEngineCapability(), EngineCapability::kSAFETY);
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(
        d.messages.lastError(),
        "buildSerializedNetwork: not supported: IBuilderConfig::setEngineCapability for kSAFETY and kDLA_STANDALONE: "
        "there is no safety runtime and no DLA; use kSTANDARD");
}

TEST(Builder, saysWhatIsOutOfTheSafetyScope) {
    Defining open;
    open.output(open.network->addSoftMax(open.input("x", {-1, 3}))->getOutput(0));
    open.config->setFlag(BuilderFlag::kSAFETY_SCOPE);
    EXPECT_EQ(open.builder->buildSerializedNetwork(*open.network, *open.config), nullptr);
    EXPECT_EQ(open.messages.lastError(),
              "buildSerializedNetwork: BuilderFlag::kSAFETY_SCOPE: input x has shape [x.0,3]; "
              "give it fixed extents, or clear the flag");
    Defining sized;
    sized.output(sized.network->addNonZero(sized.input("x", {2, 3}))->getOutput(0));
    sized.network->getLayer(0)->setName("found");
    sized.config->setFlag(BuilderFlag::kSAFETY_SCOPE);
    EXPECT_EQ(sized.builder->buildSerializedNetwork(*sized.network, *sized.config), nullptr);
    EXPECT_EQ(sized.messages.lastError(),
              "buildSerializedNetwork: BuilderFlag::kSAFETY_SCOPE: found (NonZero): the run "
              "decides the size of its output; write it without, or clear the flag");
    Defining straight;
    straight.output(straight.network->addSoftMax(straight.input("x", {1, 3}))->getOutput(0));
    straight.config->setFlag(BuilderFlag::kSAFETY_SCOPE);
    EXPECT_NE(straight.build(), nullptr);
}

TEST(Runtime, isWhatALeanRuntimeWouldBe) {
    auto const file = softmaxEngine();
    test::Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    std::unique_ptr<IRuntime> const lean(runtime->loadRuntime("libnvinfer_lean.so.10"));
    ASSERT_NE(lean, nullptr);
    std::unique_ptr<ICudaEngine> const engine(lean->deserializeCudaEngine(file->data(), file->size()));
    EXPECT_NE(engine, nullptr);
    EXPECT_EQ(runtime->loadRuntime(nullptr), nullptr);
    EXPECT_EQ(messages.lastError(), "loadRuntime: path is null");
}

TEST(Builder, takesAKernelWithoutWorkspaceWhereThereIsNoRoomForAny) {
    Defining d;
    IResizeLayer* layer = d.network->addResize(d.input("x", {1, 1, 2, 2}));
    layer->setOutputDimensions(Dims4{1, 1, 4, 4});
    layer->setResizeMode(InterpolationMode::kLINEAR);
    d.output(layer->getOutput(0));
    constexpr int64_t kResult = 16 * sizeof(float);
    std::vector<float> const x{0, 4, 8, 12};
    Running free(*d.build());
    EXPECT_GT(free.engine->getDeviceMemorySizeV2(), kResult);
    d.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 0);
    Running limited(*d.build());
    EXPECT_EQ(limited.engine->getDeviceMemorySizeV2(), kResult);
    EXPECT_EQ(limited.run(x, 16), free.run(x, 16));
}

TEST(Builder, keepsTheLimitsOfMemoryPools) {
    Defining d;
    size_t const all = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    EXPECT_EQ(d.config->getMemoryPoolLimit(MemoryPoolType::kWORKSPACE), all);
    EXPECT_EQ(d.config->getMemoryPoolLimit(MemoryPoolType::kTACTIC_DRAM), all);
    EXPECT_EQ(d.config->getMemoryPoolLimit(MemoryPoolType::kDLA_MANAGED_SRAM), size_t{1} << 20);
    d.config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 12345);
    EXPECT_TRUE(d.messages.warnings.empty());
    d.config->setMemoryPoolLimit(MemoryPoolType::kDLA_LOCAL_DRAM, 4096);
    EXPECT_EQ(d.config->getMemoryPoolLimit(MemoryPoolType::kWORKSPACE), 12345U);
    EXPECT_EQ(d.config->getMemoryPoolLimit(MemoryPoolType::kDLA_LOCAL_DRAM), 4096U);
    ASSERT_EQ(d.messages.warnings.size(), 1U);
    EXPECT_EQ(d.messages.warnings[0],
              "IBuilderConfig::setMemoryPoolLimit has no effect for a pool of a DLA: there is no DLA");
}

TEST(Builder, asksForAProfileWhereShapesAreOpen) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {-1, 3}))->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_NE(d.messages.lastError().find("set a range in an optimization profile"), std::string::npos)
        << d.messages.lastError();
}

TEST(Builder, refusesAProfileThatIsNotInOrder) {
    Defining d;
    IOptimizationProfile* profile = d.builder->createOptimizationProfile();
    profile->setDimensions("x", OptProfileSelector::kMIN, Dims2{4, 3});
    EXPECT_FALSE(profile->isValid());
    EXPECT_EQ(d.config->addOptimizationProfile(profile), -1);
    EXPECT_EQ(d.messages.lastError(), "addOptimizationProfile: x: no dimensions at kOPT");
    profile->setDimensions("x", OptProfileSelector::kOPT, Dims2{2, 3});
    profile->setDimensions("x", OptProfileSelector::kMAX, Dims2{8, 3});
    EXPECT_EQ(d.config->addOptimizationProfile(profile), -1);
    EXPECT_EQ(d.messages.lastError(), "addOptimizationProfile: x: dimension 0 is 4 at kMIN, 2 at kOPT, 8 at kMAX; "
                                      "expected kMIN <= kOPT <= kMAX");
    EXPECT_FALSE(profile->setDimensions("x", OptProfileSelector::kMAX, Dims3{8, 3, 1}));
    EXPECT_FALSE(profile->setDimensions("x", OptProfileSelector::kMAX, Dims2{-1, 3}));
}

TEST(Builder, takesWeightsAsTheyAreWhenItBuilds) {
    Defining d;
    std::vector<float> scale{2};
    d.output(d.network->addScale(d.input("x", {1, 3, 1, 1}), ScaleMode::kUNIFORM, {}, test::weights(scale), {})
                 ->getOutput(0));
    scale[0] = 5; // until the build they belong to the application
    auto const first = d.build();
    scale[0] = 7;
    auto const second = d.build();
    scale[0] = 100;
    EXPECT_EQ(Running(*first).run({1, 2, 3}, 3), (std::vector<float>{5, 10, 15}));
    EXPECT_EQ(Running(*second).run({1, 2, 3}, 3), (std::vector<float>{7, 14, 21}));
}

TEST(Builder, buildsAnEngineWithoutSavingIt) {
    Defining d;
    std::vector<float> scale{2};
    d.output(d.network->addScale(d.input("x", {1, 3, 1, 1}), ScaleMode::kUNIFORM, {}, test::weights(scale), {})
                 ->getOutput(0));
    std::unique_ptr<ICudaEngine> engine(d.builder->buildEngineWithConfig(*d.network, *d.config));
    ASSERT_NE(engine, nullptr) << d.messages.lastError();
    scale[0] = 100; // the engine has weights of its own
    std::unique_ptr<IExecutionContext> context(engine->createExecutionContext());
    std::vector<float> x{1, 2, 3};
    std::vector<float> y(3);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr)) << d.messages.lastError();
    EXPECT_EQ(y, (std::vector<float>{2, 4, 6}));
}

} // namespace
} // namespace tenon
