// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"
#include "support/api_plugins.h"

#include <cmath>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Messages;
using test::Running;
using test::weights;

using Floats = std::vector<float>;
using Names = std::vector<std::string>;

struct Place {
    std::string layer;
    WeightsRole role;
    bool operator==(Place const&) const = default;
};

std::vector<Place> places(IRefitter& refitter) {
    std::vector<char const*> layers(static_cast<size_t>(refitter.getAll(0, nullptr, nullptr)));
    std::vector<WeightsRole> roles(layers.size());
    refitter.getAll(static_cast<int32_t>(layers.size()), layers.data(), roles.data());
    std::vector<Place> all;
    for (size_t i = 0; i < layers.size(); ++i) all.push_back({layers[i], roles[i]});
    return all;
}

Names names(IRefitter& refitter) {
    std::vector<char const*> all(static_cast<size_t>(refitter.getAllWeights(0, nullptr)));
    refitter.getAllWeights(static_cast<int32_t>(all.size()), all.data());
    return {all.begin(), all.end()};
}

/// An engine from a file, and its refitter.
struct Refitting {
    explicit Refitting(Defining& d) : running(*d.build()) {
        refitter.reset(createInferRefitter(*running.engine, running.messages));
    }
    Running running;
    std::unique_ptr<IRefitter> refitter;
};

/// x [1,1,1,3] → conv, 1×1: x · kernel + bias
struct Line {
    Defining d;
    Floats kernel{2};
    Floats bias{1};
    IConvolutionLayer* conv = nullptr;

    Line() {
        conv = d.network->addConvolutionNd(d.input("x", {1, 1, 1, 3}), 1, DimsHW(1, 1), weights(kernel), weights(bias));
        conv->setName("conv");
        d.config->setFlag(BuilderFlag::kREFIT);
    }
    Line& output() { return d.output(conv->getOutput(0)), *this; }
    /// Values of -127 to 127.
    Line& inInt8() {
        for (ITensor* const tensor : {d.network->getInput(0), conv->getOutput(0)}) tensor->setDynamicRange(-127, 127);
        conv->setPrecision(DataType::kINT8);
        for (auto const flag : {BuilderFlag::kINT8, BuilderFlag::kOBEY_PRECISION_CONSTRAINTS}) d.config->setFlag(flag);
        return *this;
    }
};

TEST(Refitter, exchangesWeightsByLayerAndRole) {
    Line line;
    Refitting r(line.output().d);
    ASSERT_NE(r.refitter, nullptr) << r.running.messages.lastError();
    EXPECT_TRUE(r.running.engine->isRefittable());
    EXPECT_EQ(places(*r.refitter), (std::vector<Place>{{"conv", WeightsRole::kKERNEL}, {"conv", WeightsRole::kBIAS}}));
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{3, 5, 7}));
    Floats const kernel{10};
    EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kKERNEL, weights(kernel)));
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{3, 5, 7})); // not before it is requested
    EXPECT_EQ(r.refitter->getMissing(0, nullptr, nullptr), 0);
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{11, 21, 31})); // in the existing context
    Floats const bias{-1};
    EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kBIAS, weights(bias)));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{9, 19, 29})); // earlier exchanges stay
}

TEST(Refitter, copiesTheValuesAndTheEngineIsSavedWithThem) {
    Line line;
    Refitting r(line.output().d);
    {
        Floats const kernel{10};
        EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kKERNEL, weights(kernel)));
        EXPECT_TRUE(r.refitter->refitCudaEngine());
    }
    std::unique_ptr<IHostMemory> const file(r.running.engine->serialize());
    Running again(*file);
    EXPECT_EQ(again.run({1, 2, 3}, 3), (Floats{11, 21, 31}));
    EXPECT_TRUE(again.engine->isRefittable());
}

TEST(Refitter, worksOnAnEngineOfThisProcess) {
    Line line;
    line.output();
    std::unique_ptr<ICudaEngine> const engine(line.d.builder->buildEngineWithConfig(*line.d.network, *line.d.config));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine, line.d.messages));
    Floats const kernel{10};
    EXPECT_TRUE(refitter->setNamedWeights("conv KERNEL", weights(kernel)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << line.d.messages.lastError();
    Floats x{1, 2, 3};
    Floats y(3);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y, (Floats{11, 21, 31}));
}

TEST(Refitter, knowsWeightsByTheirNames) {
    Line line;
    line.d.network->setWeightsName(weights(line.kernel), "w");
    Refitting r(line.output().d);
    EXPECT_EQ(names(*r.refitter), (Names{"w", "conv BIAS"}));
    Weights const prototype = r.refitter->getWeightsPrototype("w");
    EXPECT_EQ(prototype.type, DataType::kFLOAT);
    EXPECT_EQ(prototype.count, 1);
    EXPECT_EQ(prototype.values, nullptr);
    Floats const kernel{10};
    EXPECT_TRUE(r.refitter->setNamedWeights("w", weights(kernel), TensorLocation::kHOST));
    EXPECT_EQ(r.refitter->getNamedWeights("w").values, kernel.data());
    EXPECT_EQ(r.refitter->getWeightsLocation("w"), TensorLocation::kHOST);
    EXPECT_TRUE(r.refitter->unsetNamedWeights("w"));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{3, 5, 7}));
    EXPECT_TRUE(r.refitter->setNamedWeights("w", weights(kernel)));
    EXPECT_TRUE(r.refitter->refitCudaEngineAsync(nullptr));
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{11, 21, 31}));
}

/// An application keeps its weights at one address, and reports only that they have changed.
TEST(Refitter, readsAgainWhatWasSet) {
    Line line;
    Refitting r(line.output().d);
    Floats kernel{10};
    Floats const bias{-1};
    EXPECT_TRUE(r.refitter->setNamedWeights("conv KERNEL", weights(kernel)));
    EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kBIAS, weights(bias)));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{9, 19, 29}));
    EXPECT_EQ(r.refitter->getNamedWeights("conv KERNEL").values, kernel.data());
    kernel[0] = 20;
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{19, 39, 59}));
    kernel[0] = 30;
    EXPECT_TRUE(r.refitter->refitCudaEngineAsync(nullptr));
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{29, 59, 89}));
    EXPECT_TRUE(r.refitter->unsetNamedWeights("conv KERNEL"));
    kernel[0] = 40;
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{29, 59, 89}));
    EXPECT_FALSE(r.refitter->unsetNamedWeights("conv KERNEL"));
}

/// Applications of level 8 cannot unset weights, and release them after a refit.
TEST(Refitter, forgetsWhatWasSetByOlderPrograms) {
    Line line;
    Refitting r(line.output().d);
    constexpr int32_t kLevel8 = 8601;
    r.refitter.reset(
        static_cast<IRefitter*>(createInferRefitter_INTERNAL(r.running.engine.get(), &r.running.messages, kLevel8)));
    Floats kernel{10};
    EXPECT_TRUE(r.refitter->setNamedWeights("conv KERNEL", weights(kernel)));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{11, 21, 31}));
    kernel[0] = 20;
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{11, 21, 31}));
}

TEST(Refitter, saysThatNothingWasSet) {
    Line line;
    Refitting r(line.output().d);
    auto& errors = r.running.messages;
    Weights const none = r.refitter->getNamedWeights("conv KERNEL");
    EXPECT_EQ(none.values, nullptr);
    EXPECT_EQ(none.count, 0);
    EXPECT_EQ(errors.lastError(), "IRefitter::getNamedWeights: nothing is set for weights conv KERNEL; expected a name "
                                  "passed to setNamedWeights");
    EXPECT_EQ(r.refitter->getWeightsLocation("w"), TensorLocation::kHOST);
    EXPECT_EQ(errors.lastError(),
              "IRefitter::getWeightsLocation: nothing is set for weights w; expected a name passed to setNamedWeights");
    EXPECT_FALSE(r.refitter->unsetNamedWeights("w"));
    EXPECT_EQ(errors.lastError(),
              "IRefitter::unsetNamedWeights: nothing is set for weights w; expected a name passed to setNamedWeights");
    EXPECT_EQ(r.refitter->getWeightsPrototype("w").count, -1);
    EXPECT_EQ(errors.lastError(), "IRefitter::getWeightsPrototype: the engine has no refittable weights called w; "
                                  "getAllWeights lists the 2 that it has");
}

/// y = conv(x), whose kernel is a constant layer.
TEST(Refitter, knowsAConstantThatALayerReadsByBothLayers) {
    Defining d;
    Floats const kernel{2};
    Floats const bias{1};
    Weights const none{nvinfer1::DataType::kFLOAT, nullptr, 0};
    IConvolutionLayer* const conv =
        d.network->addConvolutionNd(d.input("x", {1, 1, 1, 3}), 1, DimsHW(1, 1), none, weights(bias));
    conv->setName("conv");
    IConstantLayer* const constant = d.network->addConstant(Dims4(1, 1, 1, 1), weights(kernel));
    constant->setName("kern");
    conv->setInput(1, *constant->getOutput(0));
    d.output(conv->getOutput(0));
    d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(d);
    EXPECT_EQ(places(*r.refitter),
              (std::vector<Place>{
                  {"conv", WeightsRole::kBIAS}, {"conv", WeightsRole::kKERNEL}, {"kern", WeightsRole::kCONSTANT}}));
    EXPECT_EQ(names(*r.refitter), (Names{"conv BIAS", "kern"}));
    Floats const ten{10};
    EXPECT_TRUE(r.refitter->setWeights("kern", WeightsRole::kCONSTANT, weights(ten))) << r.running.messages.lastError();
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{11, 21, 31}));
    Floats const hundred{100};
    EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kKERNEL, weights(hundred)));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{101, 201, 301}));
}

/// y [1,2,1,1] = (x · factor) ^ power
struct Powers {
    Defining d;
    Floats factor{2, 3};
    Floats power{2, 1};
    Powers() {
        IScaleLayer* const scale =
            d.network->addScale(d.input("x", {1, 2, 1, 1}), ScaleMode::kCHANNEL,
                                Weights{nvinfer1::DataType::kFLOAT, nullptr, 0}, weights(factor), weights(power));
        scale->setName("scale");
        d.output(scale->getOutput(0));
    }
};

TEST(Refitter, listsNoWeightsThatTheProgramCannotReferTo) {
    Powers powers;
    powers.d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(powers.d);
    EXPECT_EQ(places(*r.refitter), (std::vector<Place>{{"scale", WeightsRole::kSCALE}}));
    EXPECT_EQ(names(*r.refitter), (Names{"scale SCALE"}));
    Floats const factor{5, 7};
    EXPECT_TRUE(r.refitter->setWeights("scale", WeightsRole::kSCALE, weights(factor)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1, 1}, 2), (Floats{25, 7}));
}

TEST(Refitter, exchangesWeightsWithoutARoleByTheirName) {
    Powers powers;
    EXPECT_TRUE(powers.d.network->setWeightsName(weights(powers.power), "power"));
    powers.d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(powers.d);
    EXPECT_EQ(places(*r.refitter), (std::vector<Place>{{"scale", WeightsRole::kSCALE}, {"scale", WeightsRole::kANY}}));
    EXPECT_EQ(names(*r.refitter), (Names{"scale SCALE", "power"}));
    Floats const power{1, 2};
    EXPECT_TRUE(r.refitter->setNamedWeights("power", weights(power)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1, 1}, 2), (Floats{2, 9}));
    Floats const other{3, 1};
    EXPECT_TRUE(r.refitter->setWeights("scale", WeightsRole::kANY, weights(other)));
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 1}, 2), (Floats{8, 3}));
}

TEST(Refitter, exchangesOnlyWhatWasMarkedWhereTheBuildSaysSo) {
    Line line;
    line.d.config->clearFlag(BuilderFlag::kREFIT);
    line.d.config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    EXPECT_FALSE(line.d.network->markWeightsRefittable("kernel"));
    EXPECT_EQ(line.d.messages.lastError(), "markWeightsRefittable: the network has no weights called kernel; expected "
                                           "a name of setWeightsName or of the model");
    line.d.network->setWeightsName(weights(line.kernel), "kernel");
    EXPECT_TRUE(line.d.network->markWeightsRefittable("kernel"));
    EXPECT_TRUE(line.d.network->areWeightsMarkedRefittable("kernel"));
    Refitting r(line.output().d);
    EXPECT_EQ(names(*r.refitter), (Names{"kernel"}));
    EXPECT_TRUE(line.d.network->unmarkWeightsRefittable("kernel"));
    EXPECT_FALSE(line.d.network->unmarkWeightsRefittable("kernel"));
}

/// Weights that fusion combined follow each of their sources, also if a factor was 1 and a summand 0: y [1,2,1,1] =
/// relu((kernel · x + bias) · scale + shift) · factor
TEST(Refitter, exchangesWhatWasFused) {
    Defining d;
    Floats const kernel{2, 3};
    Floats const bias{1, 1};
    Floats const ones{1, 1};
    Floats const zeros{0, 0};
    Floats const three{3, 3};
    auto& network = *d.network;
    IConvolutionLayer* const conv =
        network.addConvolutionNd(d.input("x", {1, 1, 1, 1}), 2, DimsHW(1, 1), weights(kernel), weights(bias));
    IScaleLayer* const scale = network.addScale(*conv->getOutput(0), ScaleMode::kCHANNEL, weights(zeros), weights(ones),
                                                Weights{DataType::kFLOAT, nullptr, 0});
    scale->setName("bn");
    ITensor* const relu = network.addActivation(*scale->getOutput(0), ActivationType::kRELU)->getOutput(0);
    ITensor* const factor = network.addConstant(Dims4(1, 2, 1, 1), weights(three))->getOutput(0);
    network.getLayer(3)->setName("factor");
    d.output(network.addElementWise(*relu, *factor, ElementWiseOperation::kPROD)->getOutput(0));
    d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(d);
    EXPECT_EQ(r.running.run({1}, 2), (Floats{9, 12}));
    Floats const scales{2, -1};
    Floats const shifts{-5, 5};
    Floats const factors{0.5F, 10};
    IRefitter& refitter = *r.refitter;
    EXPECT_TRUE(refitter.setWeights("bn", WeightsRole::kSCALE, weights(scales))) << r.running.messages.lastError();
    EXPECT_TRUE(refitter.setWeights("bn", WeightsRole::kSHIFT, weights(shifts)));
    EXPECT_TRUE(refitter.setWeights("factor", WeightsRole::kCONSTANT, weights(factors)));
    EXPECT_TRUE(refitter.refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1}, 2), (Floats{0.5F, 10}));
}

/// Adds "step" to x [2] three times.
struct Adding {
    Defining d;
    Floats one{1, 1};
    Adding() {
        ILoop* const loop = d.network->addLoop();
        loop->addTripLimit(d.integers({}, {3}), TripLimit::kCOUNT);
        IRecurrenceLayer* const total = loop->addRecurrence(d.input("x", {2}));
        ITensor* const step = d.network->addConstant(Dims{1, {2}}, weights(one))->getOutput(0);
        d.network->getLayer(d.network->getNbLayers() - 1)->setName("step");
        total->setInput(
            1, *d.network->addElementWise(*total->getOutput(0), *step, ElementWiseOperation::kSUM)->getOutput(0));
        d.output(loop->addLoopOutput(*total->getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0));
    }
};

TEST(Refitter, exchangesWeightsInsideOfLoops) {
    Adding adding;
    adding.d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(adding.d);
    EXPECT_EQ(r.running.run({10, 20}, 2), (Floats{13, 23}));
    Floats const steps{2, 5};
    EXPECT_TRUE(r.refitter->setWeights("step", WeightsRole::kCONSTANT, weights(steps)))
        << r.running.messages.lastError();
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({10, 20}, 2), (Floats{16, 35}));
}

TEST(Refitter, leavesPluginsAsTheyAre) {
    Line line;
    test::notes() = {};
    test::TimesV2 plugin(3);
    ITensor* inputs[]{line.conv->getOutput(0)};
    line.d.output(line.d.network->addPluginV2(inputs, 1, plugin)->getOutput(0));
    std::unique_ptr<ICudaEngine> const engine(line.d.builder->buildEngineWithConfig(*line.d.network, *line.d.config));
    ASSERT_NE(engine, nullptr) << line.d.messages.lastError();
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine, line.d.messages));
    Floats const kernel{10};
    refitter->setNamedWeights("conv KERNEL", weights(kernel));
    size_t const calls = test::notes().calls.size();
    EXPECT_TRUE(refitter->refitCudaEngine()) << line.d.messages.lastError();
    EXPECT_EQ(test::notes().calls.size(), calls);
    Floats x{1, 2, 3};
    Floats y(3);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y, (Floats{33, 63, 93}));
}

/// Values in int8 are multiples of a 127th of the range.
TEST(Refitter, exchangesRanges) {
    Line line;
    Refitting r(line.inInt8().output().d);
    ASSERT_NE(r.refitter, nullptr) << r.running.messages.lastError();
    EXPECT_EQ(r.refitter->getTensorsWithDynamicRange(0, nullptr), 2);
    EXPECT_EQ(r.refitter->getDynamicRangeMax("x"), 127);
    EXPECT_EQ(r.refitter->getDynamicRangeMin("x"), -127);
    EXPECT_TRUE(std::isnan(r.refitter->getDynamicRangeMax("z")));
    EXPECT_EQ(r.running.run({1.25F, 2, 3}, 3), (Floats{3, 5, 7})); // x is rounded to integers
    EXPECT_TRUE(r.refitter->setDynamicRange("x", -31.75F, 31.75F));
    EXPECT_TRUE(r.refitter->setDynamicRange("y", -63.5F, 63.5F)) << r.running.messages.lastError();
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.refitter->getDynamicRangeMax("x"), 31.75F);
    EXPECT_EQ(r.running.run({1.25F, 2, 3}, 3), (Floats{3.5F, 5, 7}));
}

TEST(Refitter, tellsRangesThatAnotherRefitterExchanged) {
    Line line;
    Refitting r(line.inInt8().output().d);
    std::unique_ptr<IRefitter> const other(createInferRefitter(*r.running.engine, r.running.messages));
    EXPECT_TRUE(r.refitter->setDynamicRange("x", -31.75F, 31.75F));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(other->getDynamicRangeMax("x"), 31.75F);
}

/// A context that is requested while the engine is being refitted: a pass logs during the refit.
class Interrupting final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) errors.emplace_back(text);
        if (engine == nullptr || severity != Severity::kVERBOSE) return;
        context.reset(std::exchange(engine, nullptr)->createExecutionContext());
        EXPECT_EQ(context, nullptr);
    }
    ICudaEngine* engine = nullptr;
    std::unique_ptr<IExecutionContext> context;
    Names errors;
};

TEST(Refitter, saysThatNoContextIsMadeMeanwhile) {
    Line line;
    auto const file = line.output().d.build();
    Interrupting logger;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine, logger));
    logger.engine = engine.get();
    EXPECT_TRUE(refitter->refitCudaEngine());
    EXPECT_EQ(logger.errors, (Names{"createExecutionContext: the engine is being refitted; do not create or run "
                                    "contexts while IRefitter::refitCudaEngine is in progress"}));
    logger.context.reset(engine->createExecutionContext());
    EXPECT_NE(logger.context, nullptr);
}

/// x → int8 of this scale → back, times two
TEST(Refitter, saysWhatANumberWouldChange) {
    Defining d;
    float const scale = 0;
    auto& network = *d.network;
    ITensor* const factor = network.addConstant(Dims{0, {}}, Weights{DataType::kFLOAT, &scale, 1})->getOutput(0);
    network.getLayer(0)->setName("scale");
    ITensor* const integers = network.addQuantize(d.input("x", {1, 2}), *factor, DataType::kINT8)->getOutput(0);
    d.output(network.addDequantize(*integers, *factor, DataType::kFLOAT)->getOutput(0));
    d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(d);
    float const half = 0.5F;
    EXPECT_TRUE(r.refitter->setWeights("scale", WeightsRole::kCONSTANT, Weights{DataType::kFLOAT, &half, 1}));
    EXPECT_FALSE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.messages.lastError(),
              "IRefitter::refitCudaEngine: input x: with these weights it is quantized with scale 0.5 and zero point "
              "0; it was not quantized; single numbers affect kernel selection unless they are marked "
              "(markWeightsRefittable, BuilderFlag::kREFIT_INDIVIDUAL); build the engine again");
}

TEST(Refitter, refusesWhatDoesNotFit) {
    Line line;
    Refitting r(line.output().d);
    auto& errors = r.running.messages;
    Floats const two{1, 2};
    EXPECT_FALSE(r.refitter->setWeights("conv", WeightsRole::kKERNEL, weights(two)));
    EXPECT_EQ(errors.lastError(),
              "IRefitter::setWeights: weights conv KERNEL are 1 values of float32; found 2 of float32");
    int32_t const whole = 1;
    EXPECT_FALSE(r.refitter->setNamedWeights("conv KERNEL", Weights{DataType::kINT32, &whole, 1}));
    EXPECT_EQ(errors.lastError(),
              "IRefitter::setNamedWeights: weights conv KERNEL are 1 values of float32; found 1 of int32");
    EXPECT_FALSE(r.refitter->setNamedWeights("conv KERNEL", Weights{DataType::kFLOAT, nullptr, 1}));
    EXPECT_EQ(
        errors.lastError(),
        "IRefitter::setNamedWeights: weights conv KERNEL are 1 values of float32; found 1 of float32 at address null");
    EXPECT_FALSE(r.refitter->setNamedWeights("w", weights(two)));
    EXPECT_EQ(errors.lastError(), "IRefitter::setNamedWeights: the engine has no refittable weights called w; "
                                  "getAllWeights lists the 2 that it has");
    EXPECT_FALSE(r.refitter->setWeights("conv", WeightsRole::kSCALE, weights(two)));
    EXPECT_EQ(errors.lastError(),
              "IRefitter::setWeights: no layer conv has refittable weights of role 3; getAll lists all of them");
    EXPECT_FALSE(r.refitter->setDynamicRange("x", -1, 1));
    EXPECT_EQ(
        errors.lastError(),
        "IRefitter::setDynamicRange: the engine has no tensor x with a range; getTensorsWithDynamicRange lists them");
    EXPECT_FALSE(r.refitter->setMaxThreads(0));
    EXPECT_EQ(errors.lastError(), "IRefitter::setMaxThreads: 0 threads; expected at least 1");
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{3, 5, 7}));
}

TEST(Refitter, isNotMadeForAnEngineThatKeepsItsWeights) {
    Line line;
    line.d.config->clearFlag(BuilderFlag::kREFIT);
    Refitting r(line.output().d);
    EXPECT_FALSE(r.running.engine->isRefittable());
    EXPECT_EQ(r.refitter, nullptr);
    EXPECT_EQ(r.running.messages.lastError(), "createInferRefitter: the engine was built without BuilderFlag::kREFIT, "
                                              "kREFIT_IDENTICAL or kREFIT_INDIVIDUAL, so its weights are fixed");
}

/// y = (x · kernel + bias) · 1; such a factor needs no step.
struct LineTimesOne : Line {
    Floats one{1};
    LineTimesOne() {
        ITensor* const factor = d.network->addConstant(Dims4(1, 1, 1, 1), weights(one))->getOutput(0);
        d.network->getLayer(1)->setName("factor");
        d.output(d.network->addElementWise(*conv->getOutput(0), *factor, ElementWiseOperation::kPROD)->getOutput(0));
    }
};

TEST(Refitter, saysWhereANumberDecidesHowTheNetworkIsComputedAndLeavesTheEngineAsItWas) {
    LineTimesOne line;
    Refitting r(line.d);
    Floats const two{2};
    EXPECT_TRUE(r.refitter->setNamedWeights("factor", weights(two)));
    EXPECT_FALSE(r.refitter->refitCudaEngine());
    EXPECT_EQ(r.running.messages.lastError(),
              "IRefitter::refitCudaEngine: Constant_0 (Constant): with these weights there is conv (Convolution) "
              "instead; single numbers affect kernel selection unless they are marked (markWeightsRefittable, "
              "BuilderFlag::kREFIT_INDIVIDUAL); build the engine again");
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{3, 5, 7}));
}

TEST(Refitter, exchangesSingleNumbersThatWereMarked) {
    LineTimesOne line;
    line.d.config->clearFlag(BuilderFlag::kREFIT);
    line.d.config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    EXPECT_TRUE(line.d.network->markWeightsRefittable("factor"));
    Refitting r(line.d);
    Floats const two{2};
    EXPECT_TRUE(r.refitter->setNamedWeights("factor", weights(two)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1, 2, 3}, 3), (Floats{6, 10, 14}));
}

/// Two outputs of 20 weights: y [1,2] = x [1,20] · W
struct Stripped {
    Defining d;
    Floats w = Floats(40, 1);
    Stripped() {
        ITensor* const weights = d.network->addConstant(Dims2(20, 2), test::weights(w))->getOutput(0);
        d.network->getLayer(0)->setName("W");
        d.output(
            d.network
                ->addMatrixMultiply(d.input("x", {1, 20}), MatrixOperation::kNONE, *weights, MatrixOperation::kNONE)
                ->getOutput(0));
    }
};

/// An engine from a file that cannot make contexts yet.
struct Waiting {
    explicit Waiting(Defining& d) {
        auto const file = d.build();
        engine.reset(runtime->deserializeCudaEngine(file->data(), file->size()));
    }
    Messages messages;
    std::unique_ptr<IRuntime> runtime{createInferRuntime(messages)};
    std::unique_ptr<ICudaEngine> engine;
};

TEST(StrippedPlans, runOnceTheirWeightsAreGivenBack) {
    Stripped s;
    size_t const whole = s.d.build()->size();
    s.d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    auto const file = s.d.build();
    EXPECT_LT(file->size(), whole);
    Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    ASSERT_NE(engine, nullptr) << messages.lastError();
    EXPECT_EQ(engine->createExecutionContext(), nullptr);
    EXPECT_EQ(messages.lastError(), "createExecutionContext: the weights are not in the engine "
                                    "(BuilderFlag::kSTRIP_PLAN); refit them with IRefitter first");
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine, messages));
    char const* missing = nullptr;
    EXPECT_EQ(refitter->getMissingWeights(1, &missing), 1);
    EXPECT_STREQ(missing, "W");
    EXPECT_FALSE(refitter->refitCudaEngine());
    EXPECT_EQ(messages.lastError(), "IRefitter::refitCudaEngine: weights W are not in the engine and have not been "
                                    "refitted; getMissingWeights lists all of these");
    EXPECT_TRUE(refitter->setNamedWeights("W", weights(s.w)));
    EXPECT_EQ(refitter->getMissingWeights(0, nullptr), 0);
    EXPECT_TRUE(refitter->refitCudaEngine()) << messages.lastError();
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    ASSERT_NE(context, nullptr) << messages.lastError();
    Floats x(20, 1);
    Floats y(2);
    context->setTensorAddress("x", x.data());
    context->setTensorAddress("y", y.data());
    EXPECT_TRUE(context->enqueueV3(nullptr));
    EXPECT_EQ(y, (Floats{20, 20}));
    std::unique_ptr<IHostMemory> const full(engine->serialize());
    EXPECT_EQ(Running(*full).run(x, 2), (Floats{20, 20}));
}

/// x [1,32,28,28] → conv, 3×3: weights that are not integers may be used by a fast method that rounds.
struct Blurring {
    static constexpr size_t kElements = size_t{32} * 28 * 28;
    static constexpr size_t kCentre = 14 * 28 + 14;
    Defining d;
    Floats w = Floats(size_t{32} * 32 * 9, 0.3F);

    Blurring() {
        auto* const conv = d.network->addConvolutionNd(d.input("x", {1, 32, 28, 28}), 32, DimsHW(3, 3), weights(w), {});
        conv->setName("conv");
        conv->setPaddingNd(DimsHW(1, 1));
        d.output(conv->getOutput(0));
    }
};

TEST(StrippedPlans, doNotMissConvolutionsByWinograd) {
    Blurring blurring;
    blurring.d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    Waiting waiting(blurring.d);
    ASSERT_NE(waiting.engine, nullptr) << waiting.messages.lastError();
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*waiting.engine, waiting.messages));
    EXPECT_TRUE(refitter->setWeights("conv", WeightsRole::kKERNEL, weights(blurring.w)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << waiting.messages.lastError();
    std::unique_ptr<IHostMemory> const full(waiting.engine->serialize());
    auto const y = Running(*full).run(Floats(Blurring::kElements, 1), Blurring::kElements);
    EXPECT_NEAR(y[Blurring::kCentre], 0.3 * 32 * 9, 1e-3);
}

TEST(Refitter, makesWeightsIntegers) {
    Blurring blurring;
    blurring.d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(blurring.d);
    Floats const x(Blurring::kElements, 3);
    EXPECT_NEAR(r.running.run(x, Blurring::kElements)[Blurring::kCentre], 0.3 * 32 * 9 * 3, 1e-2);
    Floats const ones(blurring.w.size(), 1);
    EXPECT_TRUE(r.refitter->setWeights("conv", WeightsRole::kKERNEL, weights(ones)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run(x, Blurring::kElements)[Blurring::kCentre], 32 * 9 * 3);
}

TEST(StrippedPlans, keepWeightsThatTheProgramCannotReferTo) {
    Powers powers;
    powers.d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    Waiting waiting(powers.d);
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*waiting.engine, waiting.messages));
    ASSERT_NE(refitter, nullptr) << waiting.messages.lastError();
    char const* layer = nullptr;
    WeightsRole role{};
    EXPECT_EQ(refitter->getMissing(1, &layer, &role), 1);
    EXPECT_STREQ(layer, "scale");
    EXPECT_EQ(role, WeightsRole::kSCALE);
    EXPECT_TRUE(refitter->setWeights("scale", WeightsRole::kSCALE, weights(powers.factor)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << waiting.messages.lastError();
    std::unique_ptr<IHostMemory> const full(waiting.engine->serialize());
    EXPECT_EQ(Running(*full).run({1, 1}, 2), (Floats{4, 3}));
}

TEST(StrippedPlans, lackNothingOnceAnyRefitterHasGivenTheirWeights) {
    Stripped s;
    s.d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    Waiting waiting(s.d);
    std::unique_ptr<IRefitter> const one(createInferRefitter(*waiting.engine, waiting.messages));
    std::unique_ptr<IRefitter> const other(createInferRefitter(*waiting.engine, waiting.messages));
    EXPECT_EQ(other->getMissingWeights(0, nullptr), 1);
    EXPECT_TRUE(one->setNamedWeights("W", weights(s.w)));
    EXPECT_TRUE(one->refitCudaEngine()) << waiting.messages.lastError();
    EXPECT_EQ(other->getMissingWeights(0, nullptr), 0);
    EXPECT_EQ(other->getMissing(0, nullptr, nullptr), 0);
    EXPECT_TRUE(other->refitCudaEngine());
}

/// The number of iterations of a loop is in the file nevertheless.
TEST(StrippedPlans, keepWholeNumbers) {
    Adding adding;
    adding.d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    auto const file = adding.d.build();
    Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    ASSERT_NE(engine, nullptr) << messages.lastError();
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*engine, messages));
    ASSERT_NE(refitter, nullptr) << messages.lastError();
    char const* missing = nullptr;
    EXPECT_EQ(refitter->getMissingWeights(1, &missing), 1);
    EXPECT_STREQ(missing, "step");
    EXPECT_TRUE(refitter->setNamedWeights("step", weights(adding.one)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << messages.lastError();
    std::unique_ptr<IHostMemory> const full(engine->serialize());
    EXPECT_EQ(Running(*full).run({10, 20}, 2), (Floats{13, 23}));
}

TEST(StrippedPlans, areWrittenOfAnEngineToo) {
    Stripped s;
    s.d.config->setFlag(BuilderFlag::kREFIT);
    Running whole(*s.d.build());
    std::unique_ptr<ISerializationConfig> const config(whole.engine->createSerializationConfig());
    config->setFlag(SerializationFlag::kEXCLUDE_WEIGHTS);
    std::unique_ptr<IHostMemory> const file(whole.engine->serializeWithConfig(*config));
    std::unique_ptr<IHostMemory> const full(whole.engine->serialize());
    EXPECT_LT(file->size(), full->size());
    Messages messages;
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(messages));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(file->data(), file->size()));
    std::unique_ptr<IHostMemory> const again(engine->serialize()); // still without
    EXPECT_EQ(again->size(), file->size());
}

TEST(StrippedPlans, areNotWrittenOfAnEngineThatKeepsItsWeights) {
    Stripped s;
    Running whole(*s.d.build());
    std::unique_ptr<ISerializationConfig> const config(whole.engine->createSerializationConfig());
    config->setFlag(SerializationFlag::kEXCLUDE_WEIGHTS);
    EXPECT_EQ(whole.engine->serializeWithConfig(*config), nullptr);
    EXPECT_EQ(
        whole.messages.lastError(),
        "serializeWithConfig: the engine was built without BuilderFlag::kREFIT, so its weights cannot be left out");
}

/// Kernel and bias that share zeros are distinguished; which of them a name belongs to could not be determined.
TEST(Refitter, tellsWeightsApartThatBeginAtOneAddress) {
    Defining d;
    Floats const zeros(9, 0);
    IConvolutionLayer* const conv =
        d.network->addConvolutionNd(d.input("x", {1, 1, 3, 3}), 1, DimsHW(3, 3), weights(zeros),
                                    Weights{nvinfer1::DataType::kFLOAT, zeros.data(), 1});
    conv->setName("conv");
    d.output(conv->getOutput(0));
    EXPECT_FALSE(d.network->setWeightsName(weights(zeros), "kernel"));
    EXPECT_EQ(d.messages.lastError(),
              "setWeightsName: the weights are 9 values of float32, and the network has 1 of float32 at the same "
              "address; pass those of the network, or store the others elsewhere");
    d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(d);
    EXPECT_EQ(names(*r.refitter), (Names{"conv KERNEL", "conv BIAS"}));
    Floats const ones(9, 1);
    Floats const two{2};
    EXPECT_TRUE(r.refitter->setNamedWeights("conv KERNEL", weights(ones)));
    EXPECT_TRUE(r.refitter->setNamedWeights("conv BIAS", weights(two)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run(Floats(9, 1), 1), (Floats{11}));
}

TEST(Refitter, namesLastAsLongAsTheEngine) {
    Line line;
    Refitting r(line.output().d);
    char const* name = nullptr;
    r.refitter->getAllWeights(1, &name);
    EXPECT_TRUE(r.refitter->refitCudaEngine());
    r.refitter.reset(createInferRefitter(*r.running.engine, r.running.messages));
    Floats const kernel{10};
    EXPECT_TRUE(r.refitter->setNamedWeights(name, weights(kernel)));
    EXPECT_STREQ(name, "conv KERNEL");
}

/// Two layers with one name and other weights.
TEST(Refitter, doesNotTakeLayersOfOneNameForOne) {
    Defining d;
    Floats const two{2};
    Floats const three{3};
    Weights const none{nvinfer1::DataType::kFLOAT, nullptr, 0};
    ITensor* x = &d.input("x", {1, 1, 1, 1});
    for (Floats const* kernel : {&two, &three}) {
        IConvolutionLayer* const conv = d.network->addConvolutionNd(*x, 1, DimsHW(1, 1), weights(*kernel), none);
        conv->setName("conv");
        x = conv->getOutput(0);
    }
    d.output(x);
    d.config->setFlag(BuilderFlag::kREFIT);
    Refitting r(d);
    EXPECT_EQ(names(*r.refitter).size(), 2U);
    Floats const ten{10};
    EXPECT_TRUE(r.refitter->setNamedWeights("conv KERNEL", weights(ten)));
    EXPECT_TRUE(r.refitter->refitCudaEngine()) << r.running.messages.lastError();
    EXPECT_EQ(r.running.run({1}, 1), (Floats{30}));
}

/// Values that one constant may drop, another one with the same values keeps.
TEST(StrippedPlans, keepWhatIsNotMarkedThoughItLiesAtTheSameAddress) {
    Defining d;
    Floats const kernel(20, 1);
    Weights const none{nvinfer1::DataType::kFLOAT, nullptr, 0};
    ITensor& x = d.input("x", {1, 20, 1, 1});
    ITensor* results[2];
    for (int i = 0; i < 2; ++i) {
        IConvolutionLayer* const conv = d.network->addConvolutionNd(x, 1, DimsHW(1, 1), weights(kernel), none);
        conv->setName(i == 0 ? "first" : "second");
        results[i] = conv->getOutput(0);
    }
    d.output(d.network->addElementWise(*results[0], *results[1], ElementWiseOperation::kSUM)->getOutput(0));
    d.config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    d.config->setFlag(BuilderFlag::kSTRIP_PLAN);
    EXPECT_TRUE(d.network->markWeightsRefittable("first KERNEL"));
    Running running(*d.build());
    Messages& messages = running.messages;
    std::unique_ptr<IRefitter> const refitter(createInferRefitter(*running.engine, messages));
    EXPECT_TRUE(refitter->setNamedWeights("first KERNEL", weights(kernel)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << messages.lastError();
    running.context.reset(running.engine->createExecutionContext());
    ASSERT_NE(running.context, nullptr) << messages.lastError();
    EXPECT_EQ(running.run(Floats(20, 1), 1), (Floats{40}));
}

} // namespace
} // namespace tenon
