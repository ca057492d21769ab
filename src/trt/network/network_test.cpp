// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;

TEST(Network, showsTheShapesThatFollowFromItsLayers) {
    Defining d;
    ITensor& x = d.input("x", {-1, 3, 8, 8});
    ISoftMaxLayer* layer = d.network->addSoftMax(x);
    ASSERT_NE(layer, nullptr);
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{-1, 3, 8, 8}));
    x.setDimensions(test::dims({2, 3, 4, 4}));
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{2, 3, 4, 4}));
}

TEST(Network, takesTheAxisOfSoftMaxFromAMask) {
    Defining d;
    ISoftMaxLayer* layer = d.network->addSoftMax(d.input("x", {2, 3, 8, 8}));
    EXPECT_EQ(layer->getAxes(), 1U << 1); // the third axis from the end, by default
    layer->setAxes(1U << 3);
    EXPECT_EQ(layer->getAxes(), 1U << 3);
    layer->setAxes(3);
    EXPECT_EQ(d.messages.lastError(), "setAxes: Softmax_0 (Softmax): axis mask 3 names 2 axes; expected exactly one");
    EXPECT_EQ(layer->getAxes(), 1U << 3);
    layer->setAxes(1U << 4);
    EXPECT_EQ(d.messages.lastError(), "setAxes: Softmax_0 (Softmax): axis mask 16 names axis 4 of a tensor of rank 4");
}

/// Latin-1
constexpr char kNotUtf8[] = "caf\xe9";

std::string refusalOf(Defining& d) {
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    return d.messages.lastError();
}

TEST(Network, refusesNamesThatAreNotUtf8) {
    {
        Defining d;
        ISoftMaxLayer* const layer = d.network->addSoftMax(d.input("x", {2}));
        d.output(layer->getOutput(0));
        layer->setName(kNotUtf8);
        EXPECT_EQ(refusalOf(d), "buildSerializedNetwork: the name of a layer (Softmax), \"caf\\xe9\", is not UTF-8");
    }
    {
        Defining d;
        ISoftMaxLayer* const layer = d.network->addSoftMax(d.input("x", {2}));
        layer->setName("softmax");
        d.output(layer->getOutput(0), kNotUtf8);
        EXPECT_EQ(refusalOf(d), "buildSerializedNetwork: the name of an output of softmax, \"caf\\xe9\", is not UTF-8");
    }
    {
        Defining d;
        d.output(d.network->addSoftMax(d.input(kNotUtf8, {2}))->getOutput(0));
        EXPECT_EQ(refusalOf(d), "buildSerializedNetwork: the name of an input, \"caf\\xe9\", is not UTF-8");
    }
    Defining d;
    d.network->setName(kNotUtf8);
    d.output(d.network->addSoftMax(d.input("x", {2}))->getOutput(0));
    EXPECT_EQ(refusalOf(d), "buildSerializedNetwork: the name of the network, \"caf\\xe9\", is not UTF-8");
}

TEST(Network, refusesATensorOfAnotherNetwork) {
    Defining d;
    Defining other;
    EXPECT_EQ(d.network->addSoftMax(other.input("x", {2, 3})), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addSoftMax: tensor x belongs to another network");
}

TEST(Network, refusesASecondInputOfTheSameName) {
    Defining d;
    d.input("x", {1});
    EXPECT_EQ(d.network->addInput("x", DataType::kFLOAT, test::dims({1})), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addInput: the network has an input x already");
    EXPECT_EQ(d.network->addInput("z", DataType::kFLOAT, test::dims({-2})), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addInput: z: dimension 0 is -2; expected at least -1");
    EXPECT_EQ(d.network->addInput(nullptr, DataType::kFLOAT, test::dims({1})), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addInput: name is null");
}

TEST(Network, doesNotCountWeightsAsLayersOrInputs) {
    Defining d;
    std::vector<float> const kernel(2 * 3 * 3 * 3, 1.F);
    std::vector<float> const bias(2, 0.F);
    ITensor& x = d.input("x", {1, 3, 8, 8});
    IConvolutionLayer* layer =
        d.network->addConvolutionNd(x, 2, DimsHW{3, 3}, test::weights(kernel), test::weights(bias));
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(d.network->getNbLayers(), 1);
    EXPECT_EQ(d.network->getLayer(0), layer);
    EXPECT_EQ(layer->getType(), LayerType::kCONVOLUTION);
    EXPECT_EQ(layer->getNbInputs(), 1);
    EXPECT_EQ(layer->getInput(0), &x);
    EXPECT_EQ(layer->getInput(1), nullptr);
    EXPECT_EQ(layer->getKernelWeights().values, kernel.data());
    EXPECT_EQ(layer->getKernelWeights().count, 54);
    EXPECT_EQ(layer->getBiasWeights().count, 2);
    EXPECT_EQ(extents(layer->getKernelSizeNd()), (Extents{3, 3}));
}

TEST(Network, appliesTheSettersOfALayer) {
    Defining d;
    std::vector<float> const kernel(4 * 1 * 3 * 3, 1.F);
    IConvolutionLayer* layer =
        d.network->addConvolutionNd(d.input("x", {1, 2, 9, 9}), 4, DimsHW{3, 3}, test::weights(kernel), Weights{});
    layer->setNbGroups(2);
    layer->setStrideNd(DimsHW{2, 1});
    layer->setPaddingNd(DimsHW{1, 0});
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{1, 4, 5, 7})) << d.messages.lastError();
    EXPECT_EQ(extents(layer->getDilationNd()), (Extents{1, 1}));
    layer->setStrideNd(DimsHW{0, 1});
    EXPECT_FALSE(d.messages.errors.empty());
    EXPECT_EQ(extents(layer->getStrideNd()), (Extents{2, 1})); // kept
}

TEST(Network, answersWithNoShapeWhereLayersDoNotFit) {
    Defining d;
    std::vector<float> const kernel(4 * 5, 1.F);
    IConvolutionLayer* layer =
        d.network->addConvolutionNd(d.input("x", {1, 2, 9, 9}), 4, DimsHW{1, 1}, test::weights(kernel), Weights{});
    EXPECT_EQ(layer->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_NE(d.messages.lastError().find("Convolution_1 (Convolution)"), std::string::npos) << d.messages.lastError();
}

TEST(Network, asksOnlyTheLayersThatATensorDependsOn) {
    Defining d;
    ITensor& x = d.input("x", {1, 2, 4, 4});
    ITensor* y = d.network->addSoftMax(x)->getOutput(0);
    IResizeLayer* unfinished = d.network->addResize(*y); // its size is not set yet
    EXPECT_EQ(extents(y->getDimensions()), (Extents{1, 2, 4, 4}));
    EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    EXPECT_EQ(unfinished->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_NE(d.messages.lastError().find("Resize_1 (Resize)"), std::string::npos);
    unfinished->setOutputDimensions(test::dims({1, 2, 8, 8}));
    EXPECT_EQ(extents(unfinished->getOutput(0)->getDimensions()), (Extents{1, 2, 8, 8}));
    x.setDimensions(test::dims({3, 2, 4, 4}));
    EXPECT_EQ(extents(y->getDimensions()), (Extents{3, 2, 4, 4}));
}

/// setOutputType "has no effect on the data type of the i-th output tensor"; setType has.
TEST(Network, givesAnOutputTheTypeOfItsTensorAndNotOfItsLayer) {
    Defining d;
    ISoftMaxLayer* layer = d.network->addSoftMax(d.input("x", {1, 2}));
    ITensor* y = layer->getOutput(0);
    d.output(y);
    layer->setOutputType(0, DataType::kHALF);
    EXPECT_EQ(layer->getOutputType(0), DataType::kHALF);
    EXPECT_TRUE(layer->outputTypeIsSet(0));
    EXPECT_EQ(y->getType(), DataType::kFLOAT);
    EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kFLOAT);
    y->setType(DataType::kHALF);
    layer->setOutputType(0, DataType::kFLOAT);
    EXPECT_EQ(y->getType(), DataType::kHALF);
    EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kHALF);
    layer->resetOutputType(0);
    EXPECT_FALSE(layer->outputTypeIsSet(0));
    EXPECT_EQ(y->getType(), DataType::kHALF);
    EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kHALF);
}

/// As a conversion after the layer, which is hidden from applications.
TEST(Network, convertsAnOutputOfIntegersToTheTypeThatIsAskedFor) {
    Defining d;
    ILayer* layer = d.network->addIdentity(d.input("x", {1, 2}));
    ITensor* y = layer->getOutput(0);
    d.output(y);
    layer->setOutputType(0, DataType::kINT32);
    EXPECT_EQ(y->getType(), DataType::kINT32);
    EXPECT_EQ(layer->getOutput(0), y);
    EXPECT_EQ(d.network->getOutput(0), y);
    EXPECT_STREQ(y->getName(), "y");
    EXPECT_TRUE(layer->outputTypeIsSet(0));
    EXPECT_EQ(d.network->getNbLayers(), 1);
    layer->resetOutputType(0);
    EXPECT_EQ(y->getType(), DataType::kFLOAT);
    EXPECT_EQ(d.network->getOutput(0), y);
    EXPECT_STREQ(y->getName(), "y");
}

/// The API ignores types requested of layers that compute shapes, with an error: NVIDIA's sampleINT8API requests int8
/// of all.
TEST(Network, keepsTheTypesOfWhatDecidesShapes) {
    Defining d;
    int32_t const turned[]{2, 1};
    IConstantLayer* const shape = d.network->addConstant(test::dims({2}), {DataType::kINT32, turned, 2});
    IShuffleLayer* const reshape = d.network->addShuffle(d.input("x", {1, 2}));
    reshape->setInput(1, *shape->getOutput(0));
    shape->getOutput(0)->setName("shape");
    shape->setOutputType(0, DataType::kINT8);
    EXPECT_EQ(d.messages.lastError(),
              "ILayer::setOutputType: shape: is a shape tensor; it stays int32 and is not converted to int8");
    EXPECT_EQ(shape->getOutput(0)->getType(), DataType::kINT32);
    EXPECT_FALSE(shape->outputTypeIsSet(0));
    EXPECT_EQ(extents(reshape->getOutput(0)->getDimensions()), (Extents{2, 1}));
}

/// The type of an inner tensor is unchanged, which is not an error: parsers set the type of every tensor.
TEST(Network, keepsTheTypesOfTensorsInside) {
    Defining d;
    ITensor* y = d.network->addSoftMax(d.input("x", {1, 2}))->getOutput(0);
    y->setType(DataType::kHALF);
    EXPECT_EQ(y->getType(), DataType::kFLOAT);
    EXPECT_EQ(d.messages.lastError(), "");
    ASSERT_EQ(d.messages.warnings.size(), 1U);
    EXPECT_NE(
        d.messages.warnings[0].find("has no effect for a tensor that is neither an input nor an output of the network"),
        std::string::npos)
        << d.messages.warnings[0];
}

TEST(Network, giveNoNameToWeightsWithoutValues) {
    Defining d;
    EXPECT_FALSE(d.network->setWeightsName({DataType::kFLOAT, nullptr, 0}, "none"));
    EXPECT_EQ(d.messages.lastError(), "");
}

TEST(Network, givesANameToWeightsOfOneAddressTypeAndCount) {
    Defining d;
    std::vector<float> const values{1, 2, 3, 4};
    d.network->addConstant(Dims{1, {4}}, test::weights(values))->setName("values");
    EXPECT_FALSE(d.network->setWeightsName({DataType::kFLOAT, values.data(), 3}, "a"));
    EXPECT_EQ(d.messages.lastError(),
              "setWeightsName: the weights are 3 values of float32, and the network has 4 of float32 at the same "
              "address; pass those of the network, or store the others elsewhere");
    EXPECT_FALSE(d.network->setWeightsName({DataType::kINT32, values.data(), 4}, "a"));
    EXPECT_EQ(d.messages.lastError(),
              "setWeightsName: the weights are 4 values of int32, and the network has 4 of float32 at the same "
              "address; pass those of the network, or store the others elsewhere");
    EXPECT_TRUE(d.network->setWeightsName(test::weights(values), "a"));
    EXPECT_TRUE(d.network->setWeightsName(test::weights(values), "a"));
    EXPECT_TRUE(d.network->markWeightsRefittable("a"));
}

TEST(Network, givesANameToOneValueUntilItIsTakenBack) {
    Defining d;
    std::vector<float> const first{1, 2};
    std::vector<float> const second{3, 4};
    d.network->addConstant(Dims{1, {2}}, test::weights(first))->setName("first");
    d.network->addConstant(Dims{1, {2}}, test::weights(second))->setName("second");
    EXPECT_TRUE(d.network->setWeightsName(test::weights(first), "a"));
    EXPECT_FALSE(d.network->setWeightsName(test::weights(second), "a"));
    EXPECT_EQ(d.messages.lastError(), "");
    EXPECT_EQ(d.messages.warnings,
              std::vector<std::string>{"setWeightsName: a is the name of other weights; use another one, or first "
                                       "remove it from those by passing null"});
    EXPECT_FALSE(d.network->markWeightsRefittable("first"));
    EXPECT_TRUE(d.network->setWeightsName(test::weights(first), nullptr));
    EXPECT_TRUE(d.network->markWeightsRefittable("first"));
    EXPECT_TRUE(d.network->setWeightsName(test::weights(second), "a"));
    EXPECT_FALSE(d.network->markWeightsRefittable("second"));
}

TEST(Network, tellsShapeTensorsFromOthers) {
    Defining d;
    ITensor& x = d.input("x", {-1, 4});
    ITensor* lengths = d.network->addShape(x)->getOutput(0);
    IShuffleLayer* shuffle = d.network->addShuffle(x);
    shuffle->setInput(1, *lengths);
    d.output(shuffle->getOutput(0));
    EXPECT_TRUE(lengths->isShapeTensor());
    EXPECT_FALSE(lengths->isExecutionTensor());
    EXPECT_FALSE(x.isShapeTensor());
    EXPECT_TRUE(x.isExecutionTensor());
    EXPECT_EQ(shuffle->getReshapeDimensions().nbDims, -1);
}

TEST(Network, countsItsLayersAnewWhereOneTookThePlaceOfAnother) {
    Defining d;
    ITensor& x = d.input("x", {4});
    IUnaryLayer* first = d.network->addUnary(x, UnaryOperation::kEXP);
    d.output(first->getOutput(0));
    first->setOutputType(0, DataType::kHALF); // a cast, which is hidden from applications
    EXPECT_EQ(d.network->getNbLayers(), 1);
    first->resetOutputType(0);
    IUnaryLayer* second = d.network->addUnary(x, UnaryOperation::kABS);
    EXPECT_EQ(d.network->getNbLayers(), 2);
    EXPECT_EQ(d.network->getLayer(1), second);
    d.network->removeTensor(*second->getOutput(0));
    EXPECT_EQ(d.network->getNbLayers(), 1);
}

TEST(Network, hasNoLayersWhenTheLastOneIsGone) {
    Defining d;
    IUnaryLayer* only = d.network->addUnary(d.input("x", {4}), UnaryOperation::kEXP);
    EXPECT_EQ(d.network->getNbLayers(), 1);
    d.network->removeTensor(*only->getOutput(0));
    EXPECT_EQ(d.network->getNbLayers(), 0);
}

TEST(Network, removesALayerThatNobodyReads) {
    Defining d;
    ITensor& x = d.input("x", {1, 2});
    ISoftMaxLayer* first = d.network->addSoftMax(x);
    ISoftMaxLayer* second = d.network->addSoftMax(*first->getOutput(0));
    d.network->removeTensor(*first->getOutput(0));
    EXPECT_EQ(d.messages.lastError(), "removeTensor: tensor Softmax_0:0 is read by Softmax_1 (Softmax)");
    d.network->removeTensor(*second->getOutput(0));
    EXPECT_EQ(d.network->getNbLayers(), 1);
}

TEST(Network, losesAnInputThatNobodyReads) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor& spare = d.input("spare", {2, 3});
    d.output(d.network->addSoftMax(x)->getOutput(0));
    d.network->removeTensor(x);
    EXPECT_EQ(d.messages.lastError(), "removeTensor: tensor x is read by Softmax_0 (Softmax)");
    d.network->removeTensor(spare);
    ASSERT_EQ(d.network->getNbInputs(), 1);
    EXPECT_STREQ(d.network->getInput(0)->getName(), "x");
    d.build(); // needs no address for it
}

} // namespace
} // namespace tenon
