// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Standard plugins from the functions of version 5.1, in applications of level 7.
#undef TENON_LEVEL
#define TENON_LEVEL 7
#include <NvInferPlugin.h>
#include <gtest/gtest.h>
#include <tenon/device.h>
#include <tenon/memory.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace nvinfer1;

using Floats = std::vector<float>;

class Errors final : public ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kERROR) last = text, all += last + '\n';
    }
    std::string last, all;
};

struct Destroy {
    template <class T> void operator()(T* object) const { object->destroy(); }
};
template <class T> using Owned = std::unique_ptr<T, Destroy>;

class PluginsOfFunctions : public testing::Test {
protected:
    PluginsOfFunctions() {
        builder_.reset(createInferBuilder(errors_));
        network_.reset(builder_->createNetwork());
        builder_->setMaxBatchSize(2);
        x_ = network_->addInput("x", DataType::kFLOAT, DimsCHW(2, 1, 2));
    }

    void markOutput(ILayer* layer) {
        ASSERT_NE(layer, nullptr) << errors_.last;
        layer->getOutput(0)->setName("y");
        network_->markOutput(*layer->getOutput(0));
    }
    /// Two samples of x; y has the same number of elements unless specified.
    static Floats run(ICudaEngine& engine, Floats const& x, size_t yCount = 0) {
        Floats y(yCount > 0 ? yCount : x.size());
        size_t const bytes = y.size() * sizeof(float);
        tenon::DeviceMemory const from(nullptr, x.size() * sizeof(float)), to(nullptr, bytes); // where it computes
        tenon::Stream stream;
        stream.copy(from.data(), x.data(), x.size() * sizeof(float));
        stream.wait();
        void* bindings[]{from.data(), to.data()};
        Owned<IExecutionContext> context(engine.createExecutionContext());
        EXPECT_TRUE(context->execute(2, bindings));
        stream.copy(y.data(), to.data(), bytes);
        stream.wait();
        return y;
    }

    Errors errors_;
    Owned<IBuilder> builder_;
    Owned<INetworkDefinition> network_;
    ITensor* x_ = nullptr;
    Floats const given_{1, -2, -3, 4, -5, 6, 7, -8};
    Floats const leaky_{1, -0.5F, -0.75F, 4, -1.25F, 6, 7, -2}; // a quarter of negative values
};

bool isOnGpu() { return std::strncmp(tenon::getDevice(), "cuda", 4) == 0; }

class Factory final : public IPluginFactory {
public:
    IPlugin* createPlugin(char const*, void const* data, size_t length) override {
        return made = plugin::createSSDPriorBoxPlugin(data, length);
    }
    plugin::INvPlugin* made = nullptr;
};

TEST_F(PluginsOfFunctions, ofTheFirstGenerationRunAndAreReadByTheirFunction) {
    Floats minSize{1};
    plugin::PriorBoxParameters boxes{};
    boxes.minSize = minSize.data(), boxes.numMinSize = 1, boxes.offset = 0.5F;
    std::fill_n(boxes.variance, 4, 0.25F);
    Owned<plugin::INvPlugin> priors(plugin::createSSDPriorBoxPlugin(boxes));
    ASSERT_NE(priors, nullptr) << errors_.last;
    EXPECT_EQ(priors->getPluginType(), PluginType::kPRIORBOX);
    EXPECT_STREQ(priors->getName(), "PriorBox_TRT");
    ITensor* const inputs[]{x_, x_}; // the image is as large as the feature map: each position has a box of its size
    markOutput(network_->addPlugin(inputs, 2, *priors));
    Owned<ICudaEngine> engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    Floats expected{0, 0, 0.5F, 1, 0.5F, 0, 1, 1};
    expected.insert(expected.end(), 8, 0.25F);
    expected.insert(expected.end(), expected.begin(), expected.begin() + 16); // of the second sample
    EXPECT_EQ(run(*engine, given_, 32), expected);

    Owned<IHostMemory> const file(engine->serialize());
    Owned<IRuntime> const runtime(createInferRuntime(errors_));
    Factory factory;
    Owned<ICudaEngine> loaded(runtime->deserializeCudaEngine(file->data(), file->size(), &factory));
    ASSERT_NE(loaded, nullptr) << errors_.last;
    EXPECT_EQ(run(*loaded, given_, 32), expected);
    loaded.reset();
    factory.made->destroy();
}

TEST_F(PluginsOfFunctions, thatAreNetworksLeaveTheEngineNothingToRead) {
    Owned<plugin::INvPlugin> relu(plugin::createPReLUPlugin(0.25F));
    ASSERT_NE(relu, nullptr) << errors_.last;
    EXPECT_EQ(relu->getPluginType(), PluginType::kPRELU);
    EXPECT_STREQ(relu->getName(), "LReLU_TRT");
    markOutput(network_->addPlugin(&x_, 1, *relu));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    EXPECT_EQ(run(*engine, given_), leaky_);
    Owned<IHostMemory> const file(engine->serialize());
    Owned<IRuntime> const runtime(createInferRuntime(errors_));
    Owned<ICudaEngine> const loaded(runtime->deserializeCudaEngine(file->data(), file->size(), nullptr));
    ASSERT_NE(loaded, nullptr) << errors_.last;
    EXPECT_EQ(run(*loaded, given_), leaky_);
}

TEST_F(PluginsOfFunctions, ofTheSecondGenerationSeeTheBatchThatTheNetworkHides) {
    Owned<IPluginV2> const relu(createLReLUPlugin(0.25F));
    ASSERT_NE(relu, nullptr) << errors_.last;
    markOutput(network_->addPluginV2(&x_, 1, *relu));
    Dims const shape = network_->getOutput(0)->getDimensions();
    EXPECT_EQ(std::vector<int>(shape.d, shape.d + shape.nbDims), (std::vector<int>{2, 1, 2}));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    EXPECT_EQ(run(*engine, given_), leaky_);
}

TEST_F(PluginsOfFunctions, takeTheirParametersAsFields) {
    Floats const scales{2, 10};
    Weights const weights{DataType::kFLOAT, scales.data(), 2};
    Owned<IPluginV2> const second(createNormalizePlugin(&weights, false, false, 0));
    Owned<plugin::INvPlugin> const first(plugin::createSSDNormalizePlugin(&weights, false, false, 0));
    ASSERT_TRUE(second && first) << errors_.last;
    ITensor* between = network_->addPluginV2(&x_, 1, *second)->getOutput(0);
    markOutput(network_->addPlugin(&between, 1, *first));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    Floats const y = run(*engine, {3, 0, 4, 5, 1, 1, 1, 1});
    // each position is a vector of two channels: (3, 4) becomes 2·0.6, 10·0.8, and once more
    float const length = std::sqrt(1.2F * 1.2F + 8 * 8);
    EXPECT_NEAR(y[0], 2 * 1.2F / length, 1e-5);
    EXPECT_NEAR(y[2], 10 * 8 / length, 1e-4);
}

TEST_F(PluginsOfFunctions, computeShapesWithoutTheBatch) {
    Owned<plugin::INvPlugin> const reorg(plugin::createYOLOReorgPlugin(2));
    ASSERT_NE(reorg, nullptr) << errors_.last;
    Dims const given = DimsCHW(8, 4, 6);
    Dims const y = reorg->getOutputDimensions(0, &given, 1);
    EXPECT_EQ(std::vector<int>(y.d, y.d + y.nbDims), (std::vector<int>{32, 2, 3}));

    Floats minSize{30};
    plugin::PriorBoxParameters boxes{};
    boxes.minSize = minSize.data(), boxes.numMinSize = 1;
    Owned<plugin::INvPlugin> const priors(plugin::createSSDPriorBoxPlugin(boxes));
    ASSERT_NE(priors, nullptr) << errors_.last;
    Dims const inputs[]{given, DimsCHW(3, 40, 60)};
    Dims const all = priors->getOutputDimensions(0, inputs, 2);
    EXPECT_EQ(std::vector<int>(all.d, all.d + all.nbDims), (std::vector<int>{2, 4 * 6 * 4, 1}));

    Dims const large[]{DimsCHW(1, 1 << 16, 1 << 16), DimsCHW(3, 40, 60)};
    EXPECT_EQ(priors->getOutputDimensions(0, large, 2).nbDims, -1);
    EXPECT_EQ(errors_.last, "PriorBox_TRT: extent 1 of output 0 is 17179869184; expected at most 2147483647");
    EXPECT_EQ(priors->getOutputDimensions(1, inputs, 2).nbDims, -1);
    EXPECT_EQ(errors_.last, "PriorBox_TRT: is asked for output 1; expected 0 to 0");
}

// One anchor of 16 x 16 pixels at both positions of a map of 1 x 2.
Owned<plugin::INvPlugin> proposals(Weights const& ratios) {
    static float const scale = 1;
    return Owned<plugin::INvPlugin>(plugin::createFasterRCNNPlugin(16, 100, 2, 0.5F, 16, 1 / 16.F, DimsHW(1, 1), ratios,
                                                                   Weights{DataType::kFLOAT, &scale, 1}));
}

TEST_F(PluginsOfFunctions, proposeRegionsAndPoolTheirFeatures) {
    if (isOnGpu()) GTEST_SKIP() << "the tensors of this test are in host memory";
    float const ratio = 1;
    Owned<plugin::INvPlugin> const made = proposals(Weights{DataType::kFLOAT, &ratio, 1});
    ASSERT_NE(made, nullptr) << errors_.last;
    EXPECT_EQ(made->getPluginType(), PluginType::kFASTERRCNN);
    EXPECT_STREQ(made->getName(), "RPROI_TRT");
    Dims const shapes[]{DimsCHW(2, 1, 2), DimsCHW(4, 1, 2), DimsCHW(1, 1, 2), DimsCHW(1, 1, 3)};
    Dims const features = made->getOutputDimensions(1, shapes, 4);
    EXPECT_EQ(std::vector<int>(features.d, features.d + features.nbDims), (std::vector<int>{2, 1, 1, 1}));
    Dims const outputShapes[]{made->getOutputDimensions(0, shapes, 4), features};
    made->configure(shapes, 4, outputShapes, 2, 1);
    std::vector<char> saved(made->getSerializationSize());
    made->serialize(saved.data());
    Owned<plugin::INvPlugin> const read(plugin::createFasterRCNNPlugin(saved.data(), saved.size()));
    ASSERT_NE(read, nullptr) << errors_.last;

    Floats const scores{0, 0, 0.5F, 0.9F}, deltas(8, 0), map{5, 4}, info{16, 32, 1};
    for (plugin::INvPlugin* const each : {made.get(), read.get()}) {
        Floats rois(8, -1), pooled(2, -1);
        void const* const inputs[]{scores.data(), deltas.data(), map.data(), info.data()};
        void* outputs[]{rois.data(), pooled.data()};
        EXPECT_EQ(each->enqueue(1, inputs, outputs, nullptr, nullptr), 0) << errors_.last;
        EXPECT_EQ(rois, (Floats{15.5F, 0, 31, 15, 0, 0, 15.5F, 15})); // by score, in the image of 16 x 32
        EXPECT_EQ(pooled, (Floats{4, 5}));
    }
}

TEST_F(PluginsOfFunctions, refuseAnchorsThatAreMissing) {
    EXPECT_EQ(proposals(Weights{DataType::kFLOAT, nullptr, 0}), nullptr);
    EXPECT_EQ(errors_.last, "RPROI_TRT: anchorsRatios has to be given");
}

TEST_F(PluginsOfFunctions, takeTheGroupsOfATreeOfClasses) {
    int sizes[]{1, 2};
    plugin::softmaxTree tree{};
    tree.groups = 2, tree.groupSize = sizes;
    Owned<IPluginV2> const grouped(createRegionPlugin(plugin::RegionParameters{1, 4, 3, &tree}));
    ASSERT_NE(grouped, nullptr) << errors_.last;
    EXPECT_EQ(createRegionPlugin(plugin::RegionParameters{1, 4, 4, &tree}), nullptr);
    EXPECT_EQ(errors_.last, "Region_TRT: smTree has to be the sizes of the groups of classes, 4 classes together; "
                            "found 3");

    x_->setDimensions(DimsCHW(8, 1, 1));
    markOutput(network_->addPluginV2(&x_, 1, *grouped));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    Floats const y = run(*engine, Floats(16, 0));
    EXPECT_EQ(Floats(y.begin(), y.begin() + 8), (Floats{0.5F, 0.5F, 0, 0, 0.5F, 1, 0.5F, 0.5F}));
}

// A box at its prior, and one beside it. The counts are of type FLOAT, with the bits of integers.
void expectDetections(Floats const& y, int32_t const* counts) {
    EXPECT_EQ(Floats(y.begin(), y.begin() + 14),
              (Floats{0, 1, 0.75F, 0, 0.25F, 0.5F, 0.75F, 0, 1, 0.5F, 0.5F, 0.25F, 1, 0.75F}));
    EXPECT_EQ(Floats(y.begin() + 14, y.begin() + 21), (Floats{1, -1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(counts[0], 2);
    EXPECT_EQ(counts[1], 0);
}

TEST_F(PluginsOfFunctions, detectTheObjectsOfSsd) {
    if (isOnGpu()) GTEST_SKIP() << "the tensors of this test are in host memory";
    plugin::DetectionOutputParameters const parameters{
        true, false, 0, 2, 4, 2, 0.25F, 0.5F, plugin::CodeTypeSSD::CORNER, {0, 1, 2}, false, true};
    Owned<IPluginV2> const second(createNMSPlugin(parameters));
    Owned<plugin::INvPlugin> const first(plugin::createSSDDetectionOutputPlugin(parameters));
    ASSERT_TRUE(second && first) << errors_.last;
    EXPECT_EQ(first->getPluginType(), PluginType::kSSDDETECTIONOUTPUT);
    for (bool const isFirst : {true, false}) {
        Owned<INetworkDefinition> const network(builder_->createNetwork());
        ITensor* inputs[]{network->addInput("locations", DataType::kFLOAT, DimsCHW(8, 1, 1)),
                          network->addInput("scores", DataType::kFLOAT, DimsCHW(4, 1, 1)),
                          network->addInput("priors", DataType::kFLOAT, DimsCHW(2, 8, 1))};
        ILayer* const layer = isFirst ? static_cast<ILayer*>(network->addPlugin(inputs, 3, *first))
                                      : network->addPluginV2(inputs, 3, *second);
        ASSERT_NE(layer, nullptr) << errors_.last;
        for (int i = 0; i < 2; ++i) network->markOutput(*layer->getOutput(i));
        Dims const shape = layer->getOutput(0)->getDimensions();
        EXPECT_EQ(std::vector<int>(shape.d, shape.d + shape.nbDims), (std::vector<int>{1, 2, 7}));
        Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network));
        ASSERT_NE(engine, nullptr) << errors_.last;

        Floats locations(16), scores{0, 0.75F, 0, 0.5F, 1, 0, 1, 0};
        locations[4] = 2; // of the second box's left edge
        Floats const picture{0,     0.25F, 0.5F,  0.75F, 0,     0.25F, 1,     0.75F,
                             0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F};
        Floats priors = picture, detections(28), counts(2);
        priors.insert(priors.end(), picture.begin(), picture.end());
        void* bindings[]{locations.data(), scores.data(), priors.data(), detections.data(), counts.data()};
        Owned<IExecutionContext> const context(engine->createExecutionContext());
        ASSERT_TRUE(context->execute(2, bindings)) << errors_.last;
        int32_t bits[2];
        std::memcpy(bits, counts.data(), sizeof bits);
        expectDetections(detections, bits);
    }
}

IPluginV2* standardPlugin(char const* name, std::vector<PluginField> const& fields) {
    initLibNvInferPlugins(nullptr, "");
    PluginFieldCollection const all{int32_t(fields.size()), fields.data()};
    IPluginCreator* const creator = getPluginRegistry()->getPluginCreator(name, "1", "");
    return creator ? creator->createPlugin(name, &all) : nullptr;
}

TEST_F(PluginsOfFunctions, ofWhichAFieldIsAnAxisCountTheHiddenBatch) {
    int const axis = 1;
    Owned<IPluginV2> const flat(standardPlugin("FlattenConcat_TRT", {{"axis", &axis, PluginFieldType::kINT32, 1}}));
    ASSERT_NE(flat, nullptr) << errors_.last;
    ITensor* const inputs[]{x_, x_};
    markOutput(network_->addPluginV2(inputs, 2, *flat));
    Dims const shape = network_->getOutput(0)->getDimensions();
    EXPECT_EQ(std::vector<int>(shape.d, shape.d + shape.nbDims), (std::vector<int>{8, 1, 1}));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    Floats const expected{1, -2, -3, 4, 1, -2, -3, 4, -5, 6, 7, -8, -5, 6, 7, -8};
    EXPECT_EQ(run(*engine, given_, 16), expected);
}

TEST_F(PluginsOfFunctions, tileAConstantToTheHiddenBatch) {
    Floats const picture{1, 2, 3};
    Dims const dims = DimsNCHW(1, 3, 1, 1);
    ITensor* const constant = network_->addConstant(dims, Weights{DataType::kFLOAT, picture.data(), 3})->getOutput(0);
    Owned<IPluginV2> const tile(standardPlugin("BatchTilePlugin_TRT", {}));
    ASSERT_NE(tile, nullptr) << errors_.last;
    ITensor* const inputs[]{x_, constant};
    markOutput(network_->addPluginV2(inputs, 2, *tile));
    Dims const shape = network_->getOutput(0)->getDimensions();
    EXPECT_EQ(std::vector<int>(shape.d, shape.d + shape.nbDims), (std::vector<int>{3, 1, 1}));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    EXPECT_EQ(run(*engine, given_, 6), (Floats{1, 2, 3, 1, 2, 3}));
}

TEST_F(PluginsOfFunctions, withoutInputsServeAllSamplesOfAHiddenBatch) {
    float const ratio = 1;
    int const layers = 1, extent = 2;
    Owned<IPluginV2> const anchors(
        standardPlugin("GridAnchor_TRT", {{"aspectRatios", &ratio, PluginFieldType::kFLOAT32, 1},
                                          {"numLayers", &layers, PluginFieldType::kINT32, 1},
                                          {"featureMapShapes", &extent, PluginFieldType::kINT32, 1}}));
    ASSERT_NE(anchors, nullptr) << errors_.last;
    x_->setDimensions(DimsCHW(2, 16, 1));
    ITensor* const boxes = network_->addPluginV2(nullptr, 0, *anchors)->getOutput(0);
    markOutput(network_->addElementWise(*x_, *boxes, ElementWiseOperation::kSUM));
    Owned<ICudaEngine> const engine(builder_->buildCudaEngine(*network_));
    ASSERT_NE(engine, nullptr) << errors_.last;
    Floats const y = run(*engine, Floats(64, 0));
    for (size_t sample : {0, 32}) { // the last box has its centre at 0.75, and is 0.1 wide and high
        EXPECT_NEAR(y[sample + 12], 0.7, 1e-6);
        EXPECT_NEAR(y[sample + 15], 0.8, 1e-6);
        EXPECT_EQ(y[sample + 31], 0.2F);
    }
}

TEST_F(PluginsOfFunctions, thatAreNotThereSayWhatToDo) {
    EXPECT_EQ(plugin::createConcatPlugin(1, false), nullptr);
    EXPECT_EQ(errors_.last, "createConcatPlugin: add INetworkDefinition::addConcatenation() with setAxis()");
    EXPECT_EQ(plugin::createSSDPermutePlugin(plugin::Quadruple()), nullptr);
    EXPECT_EQ(createAnchorGeneratorPlugin(nullptr, 0), nullptr);
    EXPECT_EQ(errors_.last, "createAnchorGeneratorPlugin: the anchors of each layer apart are not there; give "
                            "GridAnchor_TRT in the registry its fields");
}

TEST_F(PluginsOfFunctions, refuseDataThatIsNotTheirs) {
    EXPECT_EQ(plugin::createPReLUPlugin("abc", 3), nullptr);
    EXPECT_EQ(errors_.last, "LReLU_TRT: its saved data ends early: it was not saved by this plugin");
    EXPECT_EQ(plugin::createPReLUPlugin(nullptr, 3), nullptr);
    EXPECT_EQ(errors_.last, "LReLU_TRT: its saved data is null");
}

TEST_F(PluginsOfFunctions, refuseShapesThatAreNone) {
    Owned<plugin::INvPlugin> relu(plugin::createPReLUPlugin(0.25F));
    Dims const shape = DimsCHW(2, 1, 2);
    relu->configure(&shape, 1, &shape, 1, 2);
    std::vector<char> saved(relu->getSerializationSize());
    relu->serialize(saved.data());
    Owned<plugin::INvPlugin> const again(plugin::createPReLUPlugin(saved.data(), saved.size()));
    EXPECT_NE(again, nullptr) << errors_.last;
    Dims negative = shape, many = shape, negativeCount = shape;
    negative.d[1] = -2;
    many.nbDims = Dims::MAX_DIMS;
    negativeCount.nbDims = -1;
    std::pair<Dims, char const*> const wrong[]{
        {negative, "LReLU_TRT: extent 1 of an input is -2; expected 0 or more"},
        {many, "LReLU_TRT: the shape of an input has 8 dimensions; expected 0 to 7, without the batch"},
        {negativeCount, "LReLU_TRT: the shape of an input has -1 dimensions; expected 0 to 7, without the batch"}};
    for (auto const& [dims, text] : wrong) {
        std::memcpy(saved.data() + sizeof(uint32_t), &dims, sizeof dims); // after the number of shapes
        EXPECT_EQ(plugin::createPReLUPlugin(saved.data(), saved.size()), nullptr);
        EXPECT_EQ(errors_.last, text);
        errors_.last.clear();
        EXPECT_EQ(relu->getOutputDimensions(0, &dims, 1).nbDims, -1);
        EXPECT_EQ(errors_.last, text);
        errors_.last.clear();
        relu->configure(&dims, 1, &dims, 1, 2);
        EXPECT_EQ(errors_.last, text);
    }
}

} // namespace
