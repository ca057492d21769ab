// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights without values: a refitter gives them to the engine.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "NvInfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

class LastError final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

Weights placeholder(int64_t count, DataType type = DataType::kFLOAT) { return {type, nullptr, count}; }
Weights weights(Floats const& values) { return {DataType::kFLOAT, values.data(), static_cast<int64_t>(values.size())}; }

/// y = x kernel + bias, of an x [1,1,1,3], without a kernel.
struct Placeholders : testing::Test {
    LastError error;
    std::unique_ptr<IBuilder> builder{createInferBuilder(error)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
    std::unique_ptr<IRuntime> runtime{createInferRuntime(error)};
    std::unique_ptr<ICudaEngine> engine;
    std::unique_ptr<IRefitter> refitter;
    Floats const bias{1};
    IConvolutionLayer* conv = nullptr;

    void define() {
        ITensor& x = *network->addInput("x", DataType::kFLOAT, Dims4(1, 1, 1, 3));
        conv = network->addConvolutionNd(x, 1, DimsHW(1, 1), placeholder(1), weights(bias));
        ASSERT_NE(conv, nullptr) << error.last;
        conv->setName("conv");
        output(*conv->getOutput(0));
    }
    void output(ITensor& tensor) {
        tensor.setName("y");
        network->markOutput(tensor);
    }
    void build() {
        config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
        std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
        ASSERT_NE(plan, nullptr) << error.last;
        engine.reset(runtime->deserializeCudaEngine(plan->data(), plan->size()));
        ASSERT_NE(engine, nullptr) << error.last;
        refitter.reset(createInferRefitter(*engine, error));
        ASSERT_NE(refitter, nullptr) << error.last;
    }
    Names missing() const {
        std::vector<char const*> names(static_cast<size_t>(refitter->getMissingWeights(0, nullptr)));
        refitter->getMissingWeights(static_cast<int32_t>(names.size()), names.data());
        Names sorted(names.begin(), names.end());
        std::ranges::sort(sorted);
        return sorted;
    }
    bool give(char const* name, Floats const& values) {
        return refitter->setNamedWeights(name, weights(values)) && refitter->refitCudaEngine();
    }
    Floats run(Floats x) const {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        Floats y(x.size());
        if (!context) return {};
        context->setTensorAddress("x", x.data());
        context->setTensorAddress("y", y.data());
        return context->enqueueV3(nullptr) ? y : Floats{};
    }
    std::string buildError() {
        EXPECT_EQ(builder->buildSerializedNetwork(*network, *config), nullptr);
        return error.last;
    }
};

TEST_F(Placeholders, areGivenByARefitter) {
    define();
    EXPECT_EQ(conv->getKernelWeights().values, nullptr);
    EXPECT_EQ(conv->getKernelWeights().count, 1);
    build();
    EXPECT_EQ(missing(), (Names{"conv KERNEL"}));
    EXPECT_EQ(run({1, 2, 3}), Floats{});
    EXPECT_TRUE(give("conv KERNEL", {10})) << error.last;
    EXPECT_EQ(run({1, 2, 3}), (Floats{11, 21, 31})) << error.last;
    EXPECT_EQ(missing(), Names{});
    EXPECT_TRUE(give("conv KERNEL", {-1})) << error.last;
    EXPECT_EQ(run({1, 2, 3}), (Floats{0, -1, -2})) << error.last;
}

TEST_F(Placeholders, areMarkedAndStaySo) {
    define();
    EXPECT_TRUE(network->areWeightsMarkedRefittable("conv KERNEL"));
    EXPECT_FALSE(network->areWeightsMarkedRefittable("conv BIAS"));
    EXPECT_TRUE(network->markWeightsRefittable("conv KERNEL"));
    EXPECT_FALSE(network->unmarkWeightsRefittable("conv KERNEL"));
    EXPECT_EQ(error.last, "unmarkWeightsRefittable: weights conv KERNEL have no values, so a refitter must set them");
    EXPECT_TRUE(network->areWeightsMarkedRefittable("conv KERNEL"));
}

TEST_F(Placeholders, ofStrippedPlansAreMissingBesideWhatIsMarked) {
    define();
    Floats const factors{2, 3, 4};
    Floats const kept{5, 6, 7};
    IConstantLayer* const marked = network->addConstant(Dims4(1, 1, 1, 3), weights(factors));
    marked->setName("marked");
    IConstantLayer* const other = network->addConstant(Dims4(1, 1, 1, 3), weights(kept));
    network->unmarkOutput(*conv->getOutput(0));
    ITensor& product =
        *network->addElementWise(*conv->getOutput(0), *marked->getOutput(0), ElementWiseOperation::kPROD)->getOutput(0);
    output(*network->addElementWise(product, *other->getOutput(0), ElementWiseOperation::kSUM)->getOutput(0));
    conv->getOutput(0)->setName("");
    EXPECT_TRUE(network->markWeightsRefittable("marked")) << error.last;
    config->setFlag(BuilderFlag::kSTRIP_PLAN);
    build();
    EXPECT_EQ(missing(), (Names{"conv KERNEL", "marked"}));
    EXPECT_TRUE(refitter->setNamedWeights("marked", weights(factors))) << error.last;
    EXPECT_TRUE(give("conv KERNEL", {10})) << error.last;
    EXPECT_EQ(run({1, 2, 3}), (Floats{27, 69, 131})) << error.last; // (10 x + 1) factor + kept
}

TEST_F(Placeholders, areConstantLayersToo) {
    ITensor& x = *network->addInput("x", DataType::kFLOAT, Dims4(1, 1, 1, 3));
    IConstantLayer* const constant = network->addConstant(Dims4(1, 1, 1, 3), placeholder(3));
    ASSERT_NE(constant, nullptr) << error.last;
    constant->setName("c");
    EXPECT_EQ(constant->getWeights().values, nullptr);
    output(*network->addElementWise(x, *constant->getOutput(0), ElementWiseOperation::kDIV)->getOutput(0));
    build();
    EXPECT_EQ(missing(), (Names{"c"}));
    EXPECT_TRUE(give("c", {2, 4, 8})) << error.last;
    EXPECT_EQ(run({1, 2, 3}), (Floats{0.5F, 0.5F, 0.375F})) << error.last;
}

TEST_F(Placeholders, needTheFlagForThem) {
    define();
    std::string const text = "buildSerializedNetwork: weights conv KERNEL have no values; pass values, or build with "
                             "BuilderFlag::kREFIT_INDIVIDUAL";
    EXPECT_EQ(buildError(), text);
    config->setFlag(BuilderFlag::kREFIT);
    EXPECT_EQ(buildError(), text);
}

TEST_F(Placeholders, areNotForAnEngineThatIsNotSerialized) {
    define();
    config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    EXPECT_EQ(builder->buildEngineWithConfig(*network, *config), nullptr);
    EXPECT_EQ(error.last, "buildEngineWithConfig: the network has weights without values; build it with "
                          "buildSerializedNetwork() and set them with IRefitter");
}

TEST_F(Placeholders, areNotOfIntegers) {
    config->setFlag(BuilderFlag::kREFIT_INDIVIDUAL);
    IConstantLayer* const constant = network->addConstant(Dims{1, {2}}, placeholder(2, DataType::kINT32));
    constant->setName("c");
    output(*constant->getOutput(0));
    EXPECT_EQ(buildError(), "buildSerializedNetwork: weights c have no values; expected values of integers and bools, "
                            "which may decide shapes");
}

TEST_F(Placeholders, areKnownByTheirLayerAlone) {
    define();
    EXPECT_FALSE(network->setWeightsName(placeholder(1), "kernel"));
    EXPECT_EQ(error.last, "setWeightsName: weights without values have no address that identifies them; they are named "
                          "after their layer, so name the layer");
    EXPECT_EQ(network->addConstant(Dims{1, {2}}, placeholder(3)), nullptr);
    EXPECT_EQ(error.last, "addConstant: weights have 3 values; expected 2 for shape [2]");
}

} // namespace
