// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What came with level 11, as its programs call it.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "NvInfer.h"
#include "NvOnnxParser.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;

class LastError final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text;
    }
    std::string last;
};

struct Level11 : testing::Test {
    LastError error;
    std::unique_ptr<IBuilder> builder{createInferBuilder(error)};
    std::unique_ptr<INetworkDefinition> network{builder->createNetworkV2(0)};
    std::unique_ptr<IBuilderConfig> config{builder->createBuilderConfig()};
};

TEST_F(Level11, listsBuildRoutesAsTuningProgramsReadThem) {
    auto const routes = nlohmann::json::parse(config->getAllBuildRoutes());
    EXPECT_TRUE(routes["tuner_version"].is_string());
    std::string route;
    for (auto const& option : routes["tuner_options"]) {
        std::string const name = option["option"];
        EXPECT_EQ(option["allowed_values"], name + "=[on|off]");
        EXPECT_EQ(option["default_value"], "on");
        EXPECT_FALSE(option["help"].get<std::string>().empty());
        route += name + "=off ";
    }
    EXPECT_NE(route.find("-fuse_epilogue=off "), std::string::npos) << route;
    EXPECT_TRUE(config->setBuildRoute(route.c_str()));
    EXPECT_EQ(config->getBuildRoute(), route);
}

TEST_F(Level11, refusesBuildRoutesThatItDoesNotHave) {
    EXPECT_STREQ(config->getBuildRoute(), "");
    EXPECT_TRUE(config->setBuildRoute("-fuse_skip=on"));
    EXPECT_FALSE(config->setBuildRoute("-cuda_tile=2"));
    EXPECT_EQ(error.last, "setBuildRoute: \"-cuda_tile\" is not an option of a build route; getAllBuildRoutes() lists "
                          "the options and their values");
    EXPECT_FALSE(config->setBuildRoute("-lower_einsum=off")); // no kernel computes an Einsum
    EXPECT_FALSE(config->setBuildRoute("-fuse_skip=2"));
    EXPECT_EQ(error.last, "setBuildRoute: -fuse_skip: expected on or off, found \"2\"");
    EXPECT_FALSE(config->setBuildRoute("-fuse_skip"));
    EXPECT_EQ(error.last, "setBuildRoute: -fuse_skip: expected on or off, found \"\"");
    EXPECT_FALSE(config->setBuildRoute("-fuse_skip=on -fuse_skip=off"));
    EXPECT_EQ(error.last, "setBuildRoute: -fuse_skip: is given twice; expected each option once");
    EXPECT_FALSE(config->setBuildRoute(nullptr));
    EXPECT_EQ(error.last, "setBuildRoute: buildRoute is null");
    EXPECT_STREQ(config->getBuildRoute(), "-fuse_skip=on");
    EXPECT_TRUE(config->setBuildRoute(""));
    EXPECT_STREQ(config->getBuildRoute(), "");
}

// A convolution with a ReLU is one layer of the engine, unless the route separates them.
TEST_F(Level11, buildRoutesLeaveOutFusions) {
    ITensor* x = network->addInput("x", DataType::kFLOAT, Dims{4, {1, 1, 4, 4}});
    float const kernel[] = {2};
    x = network->addConvolutionNd(*x, 1, Dims{2, {1, 1}}, Weights{DataType::kFLOAT, kernel, 1}, {})->getOutput(0);
    network->markOutput(*network->addActivation(*x, ActivationType::kRELU)->getOutput(0));
    auto const layers = [&] {
        std::unique_ptr<IHostMemory> plan{builder->buildSerializedNetwork(*network, *config)};
        std::unique_ptr<IRuntime> runtime{createInferRuntime(error)};
        std::unique_ptr<ICudaEngine> engine{runtime->deserializeCudaEngine(plan->data(), plan->size())};
        return engine->getNbLayers();
    };
    int32_t const fused = layers();
    ASSERT_TRUE(config->setBuildRoute("-fuse_epilogue=off"));
    EXPECT_EQ(layers(), fused + 1);
}

TEST_F(Level11, hasStronglyTypedNetworksAlone) {
    auto const flag = NetworkDefinitionCreationFlag::kSTRONGLY_TYPED;
    EXPECT_TRUE(network->getFlag(flag));
    EXPECT_EQ(network->getFlags(), 1U << static_cast<uint32_t>(flag));
    ITensor& x = *network->addInput("x", DataType::kFLOAT, Dims{1, {4}});
    ITensor& z = *network->addInput("z", DataType::kHALF, Dims{1, {4}});
    EXPECT_EQ(network->addElementWise(x, z, ElementWiseOperation::kSUM), nullptr);
    EXPECT_EQ(error.last, "addElementWise: Elementwise_0 (Elementwise): input 0 is float32 and input 1 is float16; "
                          "expected one type (add a cast)");
}

Dims dimsOf(std::vector<int64_t> const& extents) {
    Dims dims{};
    for (int64_t const extent : extents) dims.d[dims.nbDims++] = extent;
    return dims;
}

/// The values of a network's only output.
std::vector<float> valuesOf(Level11& t, ITensor& output, size_t count) {
    output.setName("y");
    t.network->markOutput(output);
    std::unique_ptr<IHostMemory> const plan(t.builder->buildSerializedNetwork(*t.network, *t.config));
    if (!plan) return {};
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(t.error));
    std::unique_ptr<ICudaEngine> const engine(runtime->deserializeCudaEngine(plan->data(), plan->size()));
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    std::vector<float> y(count);
    context->setTensorAddress("y", y.data());
    return context->enqueueV3(nullptr) ? y : std::vector<float>{};
}

struct Attention11 : Level11 {
    ITensor& floats(std::vector<int64_t> const& extents, std::vector<float> values) {
        kept.push_back(std::move(values));
        Weights const weights{DataType::kFLOAT, kept.back().data(), static_cast<int64_t>(kept.back().size())};
        return *network->addConstant(dimsOf(extents), weights)->getOutput(0);
    }
    ITensor& lengths(std::vector<int32_t> values) {
        keptLengths.push_back(std::move(values));
        auto const count = static_cast<int64_t>(keptLengths.back().size());
        Weights const weights{DataType::kINT32, keptLengths.back().data(), count};
        return *network->addConstant(dimsOf({count}), weights)->getOutput(0);
    }
    /// Queries of zeros: each returns the mean of the values that it sees.
    IAttention* means(std::vector<int64_t> const& query, std::vector<int64_t> const& key, std::vector<float> values,
                      CausalMaskKind causal) {
        size_t count = 1;
        for (int64_t const extent : query) count *= static_cast<size_t>(extent);
        ITensor& keys = floats(key, values);
        return network->addAttentionV2(floats(query, std::vector<float>(count)), keys, keys,
                                       AttentionNormalizationOp::kSOFTMAX, causal);
    }

    std::deque<std::vector<float>> kept;
    std::deque<std::vector<int32_t>> keptLengths;
};

using Values = std::vector<float>;

TEST_F(Attention11, seesKeysUpToTheLowerRight) {
    IAttention* const attention = means({1, 1, 2, 1}, {1, 1, 3, 1}, {2, 4, 9}, CausalMaskKind::kLOWER_RIGHT);
    ASSERT_NE(attention, nullptr) << error.last;
    EXPECT_EQ(attention->getCausalKind(), CausalMaskKind::kLOWER_RIGHT);
    EXPECT_TRUE(attention->setCausalKind(CausalMaskKind::kUPPER_LEFT));
    EXPECT_TRUE(attention->getCausal());
    EXPECT_FALSE(attention->setCausalKind(static_cast<CausalMaskKind>(3)));
    EXPECT_EQ(error.last.substr(error.last.find("kind")), "kind of causal mask 3 does not exist; the last one is 2");
    EXPECT_TRUE(attention->setCausalKind(CausalMaskKind::kLOWER_RIGHT));
    EXPECT_EQ(valuesOf(*this, *attention->getOutput(0), 2), (Values{3, 5})) << error.last;
}

TEST_F(Attention11, takesTheLengthsOfPaddedKeys) {
    IAttention* const attention = means({2, 1, 1, 1}, {2, 1, 3, 1}, {2, 4, 9, 5, 7, 9}, CausalMaskKind::kNONE);
    ITensor& lengths = this->lengths({2, 1});
    EXPECT_EQ(attention->getKeyValueLengths(), nullptr);
    EXPECT_TRUE(attention->setKeyValueLengths(&lengths));
    EXPECT_EQ(attention->getKeyValueLengths(), &lengths);
    EXPECT_EQ(attention->getNbInputs(), 7);
    EXPECT_EQ(attention->getInput(6), &lengths);
    EXPECT_EQ(attention->getInput(4), nullptr);
    EXPECT_EQ(valuesOf(*this, *attention->getOutput(0), 2), (Values{3, 5})) << error.last;
}

TEST_F(Attention11, takesPackedSequences) {
    IAttention* const attention = means({3, 1, 1}, {5, 1, 1}, {2, 4, 9, 5, 7}, CausalMaskKind::kLOWER_RIGHT);
    ASSERT_NE(attention, nullptr) << error.last;
    EXPECT_EQ(attention->getQueryForm(), AttentionIOForm::kPADDED_BHND);
    EXPECT_TRUE(attention->setQueryForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(attention->setKeyValueForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_EQ(attention->getQueryForm(), AttentionIOForm::kPACKED_NHD);
    EXPECT_EQ(attention->getKeyValueForm(), AttentionIOForm::kPACKED_NHD);
    ITensor& queries = lengths({0, 2, 3});
    EXPECT_TRUE(attention->setQueryLengths(&queries));
    EXPECT_EQ(attention->getQueryLengths(), &queries);
    EXPECT_TRUE(attention->setKeyValueLengths(&lengths({0, 3, 5})));
    EXPECT_EQ(attention->getOutput(0)->getDimensions().nbDims, 3);
    EXPECT_EQ(valuesOf(*this, *attention->getOutput(0), 3), (Values{3, 5, 6})) << error.last;
}

/// The mean of 3 values weighs each 1/3, which is 1 at a scale of 0.3, and that of 2 values 2.
TEST_F(Attention11, quantizesWeightsOfPackedSequences) {
    IAttention* const attention = means({3, 1, 1}, {5, 1, 1}, {2, 4, 9, 5, 7}, CausalMaskKind::kLOWER_RIGHT);
    ASSERT_NE(attention, nullptr) << error.last;
    ITensor& queries = lengths({0, 2, 3});
    ITensor& scale = floats({}, {0.3F});
    EXPECT_TRUE(attention->setQueryForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(attention->setKeyValueForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(attention->setInput(5, queries));
    EXPECT_EQ(attention->getQueryLengths(), &queries);
    EXPECT_TRUE(attention->setKeyValueLengths(&lengths({0, 3, 5})));
    EXPECT_TRUE(attention->setNormalizationQuantizeScale(scale));
    EXPECT_TRUE(attention->setNormalizationQuantizeToType(DataType::kINT8));
    EXPECT_EQ(attention->getNbInputs(), 7);
    EXPECT_EQ(attention->getInput(4), &scale);
    for (int32_t i = 0; i < network->getNbLayers(); ++i) {
        ILayer const* const layer = network->getLayer(i);
        if (layer->getType() != LayerType::kATTENTION_OUTPUT) continue;
        EXPECT_EQ(layer->getNbInputs(), 7); // as the attention has them
        EXPECT_EQ(layer->getInput(5), &queries);
    }
    auto const found = valuesOf(*this, *attention->getOutput(0), 3);
    Values const expected{3.6F, 4.5F, 7.2F}; // 0.6 · 6, 0.3 · 15, 0.6 · 12
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.at(i), expected[i], 1e-5F) << error.last;
}

TEST_F(Attention11, saysWhatPackedSequencesLack) {
    IAttention* const attention = means({3, 1, 1}, {5, 1, 1}, {2, 4, 9, 5, 7}, CausalMaskKind::kNONE);
    EXPECT_TRUE(attention->setName("a"));
    EXPECT_TRUE(attention->setQueryForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(attention->setKeyValueForm(AttentionIOForm::kPACKED_NHD));
    ITensor& queries = lengths({0, 3});
    EXPECT_TRUE(attention->setQueryLengths(&queries));
    EXPECT_TRUE(attention->setQueryLengths(nullptr));
    EXPECT_EQ(attention->getQueryLengths(), nullptr);
    EXPECT_EQ(valuesOf(*this, *attention->getOutput(0), 3), Values{});
    EXPECT_NE(error.last.find("a (Attention): packed sequences need query lengths [number of sequences + 1]"),
              std::string::npos)
        << error.last;
}

// ---- of 11.3 and 11.4

TEST_F(Level11, squeezesAllAxesThatAreOneInTheDefinition) {
    ITensor& x = *network->addInput("x", DataType::kFLOAT, dimsOf({1, 3, 1, -1, 1}));
    ISqueezeLayer* const layer = network->addSqueeze(x, nullptr);
    ASSERT_NE(layer, nullptr) << error.last;
    Dims const dims = layer->getOutput(0)->getDimensions();
    ASSERT_EQ(dims.nbDims, 2);
    EXPECT_EQ(dims.d[0], 3);
    EXPECT_EQ(dims.d[1], -1); // an open extent stays
    EXPECT_EQ(layer->getNbInputs(), 1);
    EXPECT_EQ(layer->getInput(1), nullptr);
}

TEST_F(Level11, squeezeKeepsEmptyAxesAndTensorsWithoutOnes) {
    ITensor& empty = *network->addInput("empty", DataType::kFLOAT, dimsOf({0, 1, 3}));
    EXPECT_EQ(network->addSqueeze(empty, nullptr)->getOutput(0)->getDimensions().nbDims, 2);
    ITensor& full = *network->addInput("full", DataType::kFLOAT, dimsOf({2, 3}));
    EXPECT_EQ(network->addSqueeze(full, nullptr)->getOutput(0)->getDimensions().nbDims, 2);
}

TEST_F(Attention11, squeezesByAxesThatAreGivenAsAPointer) {
    std::vector<int64_t> const axis{1};
    ITensor& axes = *network->addConstant(dimsOf({1}), Weights{DataType::kINT64, axis.data(), 1})->getOutput(0);
    ITensor& x = floats({2, 1, 1}, {5, 7});
    ISqueezeLayer* const layer = network->addSqueeze(x, &axes);
    ASSERT_NE(layer, nullptr) << error.last;
    EXPECT_EQ(layer->getNbInputs(), 2);
    EXPECT_EQ(layer->getOutput(0)->getDimensions().nbDims, 2);
    ITensor& flat = *network->addSqueeze(*layer->getOutput(0), nullptr)->getOutput(0);
    EXPECT_EQ(flat.getDimensions().nbDims, 1);
    EXPECT_EQ(valuesOf(*this, flat, 2), (Values{5, 7})) << error.last;
}

TEST_F(Level11, keepsTheStrategyOfDlaWorkspaces) {
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(error));
    EXPECT_EQ(runtime->getDLAWorkspaceAllocationStrategy(), DLAWorkspaceAllocationStrategy::kDEFAULT);
    EXPECT_TRUE(runtime->setDLAWorkspaceAllocationStrategy(DLAWorkspaceAllocationStrategy::kSHARED_STATIC));
    EXPECT_EQ(runtime->getDLAWorkspaceAllocationStrategy(), DLAWorkspaceAllocationStrategy::kSHARED_STATIC);
    EXPECT_FALSE(runtime->setDLAWorkspaceAllocationStrategy(static_cast<DLAWorkspaceAllocationStrategy>(2)));
    EXPECT_EQ(
        error.last,
        "IRuntime::setDLAWorkspaceAllocationStrategy: strategy 2 does not exist; expected kDEFAULT or kSHARED_STATIC");
    EXPECT_EQ(runtime->getDLAWorkspaceAllocationStrategy(), DLAWorkspaceAllocationStrategy::kSHARED_STATIC);
}

TEST_F(Level11, profilesHaveAStreamOfTheirOwn) {
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    EXPECT_EQ(profile->getProfileStream(), nullptr);
    int stream = 0; // an address
    profile->setProfileStream(reinterpret_cast<cudaStream_t>(&stream));
    EXPECT_EQ(profile->getProfileStream(), reinterpret_cast<cudaStream_t>(&stream));
    profile->setProfileStream(nullptr);
    EXPECT_EQ(profile->getProfileStream(), nullptr);
}

TEST_F(Level11, isTheReleaseOfItsHeaders) {
    EXPECT_EQ(NV_TENSORRT_VERSION, 110400);
    EXPECT_EQ(getInferLibVersion(), 110400);
    EXPECT_EQ(getInferLibMajorVersion(), 11);
    EXPECT_EQ(getInferLibMinorVersion(), 4);
    EXPECT_EQ(NV_ONNX_PARSER_VERSION, 200);
    EXPECT_EQ(getNvOnnxParserVersion(), 200);
}

} // namespace
