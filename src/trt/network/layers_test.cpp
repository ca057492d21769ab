// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the classes of the API make of each layer: settings arrive, are read back, and mean what they mean. Expected
// values are worked out by hand from the formulas at the classes.

#include "support/api.h"

#include <cmath>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;
using test::weights;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// The results of the network for x.
Floats compute(Defining& d, ITensor* y, Floats const& x, size_t count) {
    d.output(y);
    return Running(*d.build()).run(x, count);
}

void expectNear(Floats const& found, Floats const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5F) << "element " << i;
}

TEST(ActivationLayer, appliesItsFunctionWithAlphaAndBeta) {
    Defining d;
    IActivationLayer* layer = d.network->addActivation(d.input("x", {3}), ActivationType::kCLIP);
    layer->setAlpha(-1);
    layer->setBeta(2);
    EXPECT_EQ(layer->getActivationType(), ActivationType::kCLIP);
    EXPECT_EQ(layer->getAlpha(), -1.F);
    EXPECT_EQ(layer->getBeta(), 2.F);
    EXPECT_EQ(compute(d, layer->getOutput(0), {-5, 1, 5}, 3), (Floats{-1, 1, 2}));
}

/// Applications write log(exp(x) + 1) without setting its factors.
TEST(ActivationLayer, hasFactorsOfOneForSoftplus) {
    Defining d;
    IActivationLayer* layer = d.network->addActivation(d.input("x", {3}), ActivationType::kSOFTPLUS);
    EXPECT_EQ(layer->getAlpha(), 1.F);
    EXPECT_EQ(layer->getBeta(), 1.F);
    expectNear(compute(d, layer->getOutput(0), {-1, 0, 1}, 3), {0.31326169F, 0.69314718F, 1.31326169F});
}

TEST(ActivationLayer, refusesATypeThatThereIsNot) {
    Defining d;
    EXPECT_EQ(d.network->addActivation(d.input("x", {3}), static_cast<ActivationType>(99)), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addActivation: activation 99 does not exist; the last one is 13");
}

TEST(UnaryLayer, appliesEachOperationUnderItsName) {
    Defining d;
    IUnaryLayer* layer = d.network->addUnary(d.input("x", {3}), UnaryOperation::kEXP);
    layer->setOperation(UnaryOperation::kROUND);
    EXPECT_EQ(layer->getOperation(), UnaryOperation::kROUND);
    EXPECT_EQ(compute(d, layer->getOutput(0), {0.5F, 1.5F, -1.2F}, 3), (Floats{0, 2, -1}));
}

TEST(ElementWiseLayer, combinesTwoTensors) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    IElementWiseLayer* layer = d.network->addElementWise(x, x, ElementWiseOperation::kSUM);
    layer->setOperation(ElementWiseOperation::kPROD);
    EXPECT_EQ(layer->getOperation(), ElementWiseOperation::kPROD);
    EXPECT_EQ(layer->getNbInputs(), 2);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4}, 4), (Floats{1, 4, 9, 16}));
}

TEST(ElementWiseLayer, comparesToBooleans) {
    Defining d;
    ITensor& x = d.input("x", {2});
    EXPECT_EQ(d.network->addElementWise(x, x, ElementWiseOperation::kLESS)->getOutput(0)->getType(), DataType::kBOOL);
}

TEST(ParametricReLULayer, multipliesNegativeElements) {
    Defining d;
    ITensor& x = d.input("x", {1, 2});
    Floats const slope{0.5F, 2};
    ITensor& s = *d.network->addConstant(dims({1, 2}), weights(slope))->getOutput(0);
    IParametricReLULayer* layer = d.network->addParametricReLU(x, s);
    EXPECT_EQ(layer->getType(), LayerType::kPARAMETRIC_RELU);
    EXPECT_EQ(compute(d, layer->getOutput(0), {-4, -4}, 2), (Floats{-2, -8}));
}

TEST(ScaleLayer, scalesEachChannel) {
    Defining d;
    Floats const shift{1, 2};
    Floats const scale{10, 100};
    IScaleLayer* layer =
        d.network->addScale(d.input("x", {1, 2, 1, 2}), ScaleMode::kCHANNEL, weights(shift), weights(scale), {});
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getNbInputs(), 1);
    EXPECT_EQ(layer->getMode(), ScaleMode::kCHANNEL);
    EXPECT_EQ(layer->getShift().values, shift.data());
    EXPECT_EQ(layer->getPower().count, 0);
    EXPECT_EQ(layer->getChannelAxis(), 1);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4}, 4), (Floats{11, 21, 302, 402}));
}

TEST(ScaleLayer, raisesEachElementToItsOwnPower) {
    Defining d;
    Floats const power{1, 2, 3, 4};
    IScaleLayer* layer =
        d.network->addScaleNd(d.input("x", {1, 2, 2}), ScaleMode::kELEMENTWISE, {}, {}, weights(power), 1);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    expectNear(compute(d, layer->getOutput(0), {2, 2, 2, 2}, 4), {2, 4, 8, 16});
}

TEST(ConvolutionLayer, takesGroupsStridesAndPadding) {
    Defining d;
    Floats const kernel{1, 1, 1, 1, 2, 2, 2, 2}; // two maps of 2x2
    Floats const bias{0, 100};
    IConvolutionLayer* layer =
        d.network->addConvolutionNd(d.input("x", {1, 2, 2, 2}), 2, DimsHW{2, 2}, weights(kernel), weights(bias));
    layer->setNbGroups(2);
    layer->setPrePadding(DimsHW{1, 1});
    layer->setStrideNd(DimsHW{2, 2});
    EXPECT_EQ(extents(layer->getPrePadding()), (Extents{1, 1}));
    EXPECT_EQ(extents(layer->getPostPadding()), (Extents{0, 0}));
    // only the first element of each channel is inside the padded window
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6, 7, 8}, 2), (Floats{1, 110}));
}

TEST(ConvolutionLayer, takesItsKernelFromATensor) {
    Defining d;
    Floats const kernel{1, 2, 3};
    ITensor& k = *d.network->addConstant(dims({1, 3, 1, 1}), weights(kernel))->getOutput(0);
    IConvolutionLayer* layer = d.network->addConvolutionNd(d.input("x", {1, 3, 1, 1}), 1, DimsHW{1, 1}, {}, {});
    layer->setInput(1, k);
    EXPECT_EQ(layer->getNbInputs(), 2);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 10, 100}, 1), (Floats{321}));
}

TEST(ConvolutionLayer, refusesAKernelOfTheWrongSize) {
    Defining d;
    Floats const kernel(7);
    EXPECT_EQ(d.network->addConvolutionNd(d.input("x", {1, 3, 4, 4}), 2, DimsHW{2, 2}, weights(kernel), {}), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addConvolutionNd: the kernel has 7 values; expected a multiple of 8 for 2 output "
              "maps of size 2x2");
}

TEST(DeconvolutionLayer, spreadsItsInput) {
    Defining d;
    Floats const kernel{1, 2, 3, 4};
    IDeconvolutionLayer* layer =
        d.network->addDeconvolutionNd(d.input("x", {1, 1, 1, 2}), 1, DimsHW{2, 2}, weights(kernel), {});
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    layer->setStrideNd(DimsHW{2, 2});
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 10}, 8), (Floats{1, 2, 10, 20, 3, 4, 30, 40}));
}

/// Each axis of Y has (2 - 1) * 2 + 2 - pre - post elements; those beyond the windows are 0.
TEST(DeconvolutionLayer, growsBehindByPaddingBelowZero) {
    Defining d;
    Floats const kernel{1, 2, 3, 4};
    IDeconvolutionLayer* layer =
        d.network->addDeconvolutionNd(d.input("x", {1, 1, 1, 2}), 1, DimsHW{2, 2}, weights(kernel), {});
    layer->setStrideNd(DimsHW{2, 2});
    layer->setPostPadding(DimsHW{1, -1});
    EXPECT_EQ(extents(layer->getPostPadding()), (Extents{1, -1}));
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{1, 1, 1, 5}));
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 10}, 5), (Floats{1, 2, 10, 20, 0}));
    layer->setPaddingNd(DimsHW{0, 0});
    EXPECT_EQ(extents(layer->getPostPadding()), (Extents{0, 0}));
}

TEST(PoolingLayer, takesTheLargestOrTheMeanOfAWindow) {
    for (bool const average : {false, true}) {
        Defining d;
        IPoolingLayer* layer = d.network->addPoolingNd(d.input("x", {1, 1, 2, 2}), PoolingType::kMAX, DimsHW{2, 2});
        if (average) layer->setPoolingType(PoolingType::kAVERAGE);
        layer->setPostPadding(DimsHW{0, 1});
        layer->setAverageCountExcludesPadding(false);
        EXPECT_EQ(extents(layer->getWindowSizeNd()), (Extents{2, 2}));
        EXPECT_FALSE(layer->getAverageCountExcludesPadding());
        EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4}, 2), average ? (Floats{2.5F, 1.5F}) : (Floats{4, 4}));
    }
}

TEST(MatrixMultiplyLayer, transposesAndTakesVectors) {
    Defining d;
    Floats const vector{1, 10};
    ITensor& v = *d.network->addConstant(dims({2}), weights(vector))->getOutput(0);
    IMatrixMultiplyLayer* layer =
        d.network->addMatrixMultiply(d.input("x", {2, 3}), MatrixOperation::kTRANSPOSE, v, MatrixOperation::kVECTOR);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getOperation(0), MatrixOperation::kTRANSPOSE);
    EXPECT_EQ(layer->getOperation(1), MatrixOperation::kVECTOR);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 3), (Floats{41, 52, 63}));
}

/// One query [1,1,1,2] of the network, and two keys and values: the unit vectors.
IAttention* addAttention(Defining& d, ITensor& query, bool causal = false) {
    static Floats const units{1, 0, 0, 1};
    ITensor& keys = *d.network->addConstant(dims({1, 1, 2, 2}), weights(units))->getOutput(0);
    return d.network->addAttention(query, keys, keys, AttentionNormalizationOp::kSOFTMAX, causal);
}

TEST(Attention, weighsValuesByWhatItIsSetTo) { // exp(log 3) against exp(0)
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    EXPECT_EQ(attention->getNbInputs(), 3);
    EXPECT_EQ(attention->getNbOutputs(), 1);
    EXPECT_FALSE(attention->getDecomposable());
    EXPECT_TRUE(attention->setDecomposable(true));
    EXPECT_TRUE(attention->getDecomposable());
    EXPECT_TRUE(attention->setName("attention"));
    EXPECT_STREQ(attention->getName(), "attention");
    ILayer* const layer = d.network->getLayer(d.network->getNbLayers() - 1);
    ASSERT_EQ(layer->getType(), LayerType::kATTENTION_OUTPUT);
    EXPECT_EQ(static_cast<IAttentionOutputLayer*>(layer)->getAttention(), attention);
    expectNear(compute(d, attention->getOutput(0), {std::log(3.F), 0}, 2), {0.75F, 0.25F});
}

TEST(Attention, withoutNormalizationGivesTheProducts) {
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    EXPECT_TRUE(attention->setNormalizationOperation(AttentionNormalizationOp::kNONE));
    EXPECT_EQ(attention->getNormalizationOperation(), AttentionNormalizationOp::kNONE);
    EXPECT_EQ(compute(d, attention->getOutput(0), {2, 5}, 2), (Floats{2, 5}));
}

TEST(Attention, whenCausalSeesNoLaterKeys) {
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    EXPECT_TRUE(attention->setCausal(true));
    EXPECT_TRUE(attention->getCausal());
    EXPECT_EQ(compute(d, attention->getOutput(0), {2, 5}, 2), (Floats{1, 0}));
}

TEST(Attention, addsItsMask) {
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    EXPECT_EQ(attention->getMask(), nullptr);
    static Floats const addends{-1, std::log(3.F) - 1};
    ITensor& mask = *d.network->addConstant(dims({1, 1, 1, 2}), weights(addends))->getOutput(0);
    EXPECT_TRUE(attention->setMask(mask));
    EXPECT_EQ(attention->getMask(), &mask);
    EXPECT_EQ(attention->getNbInputs(), 4);
    expectNear(compute(d, attention->getOutput(0), {0, 0}, 2), {0.25F, 0.75F});
}

TEST(Attention, quantizesItsNormalizedProducts) { // 0.75 and 0.25 by a scale of 0.2: 4 and 1, of which 0.2 each
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    EXPECT_EQ(attention->getNormalizationQuantizeScale(), nullptr);
    EXPECT_EQ(attention->getNormalizationQuantizeToType(), DataType::kFLOAT);
    ITensor& scale = d.floats({1}, {0.2F});
    EXPECT_TRUE(attention->setNormalizationQuantizeScale(scale));
    EXPECT_TRUE(attention->setNormalizationQuantizeToType(DataType::kINT8));
    EXPECT_EQ(attention->getNormalizationQuantizeScale(), &scale);
    EXPECT_EQ(attention->getNormalizationQuantizeToType(), DataType::kINT8);
    EXPECT_EQ(attention->getNbInputs(), 5);
    EXPECT_EQ(attention->getInput(3), nullptr);
    EXPECT_EQ(attention->getInput(4), &scale);
    EXPECT_EQ(attention->getInput(5), nullptr);
    expectNear(compute(d, attention->getOutput(0), {std::log(3.F), 0}, 2), {0.8F, 0.2F});
}

/// 0.75 / 0.0024 = 312.5 is between 288 and 320, 0.25 / 0.0024 = 104.2 between 104 and 112.
TEST(Attention, quantizesToFp8WithAScaleThatIsFed) {
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    ITensor& scale = d.input("scale", {});
    EXPECT_TRUE(attention->setInput(4, scale));
    EXPECT_TRUE(attention->setNormalizationQuantizeToType(DataType::kFP8));
    d.output(attention->getOutput(0));
    Running running(*d.build());
    float step = 0.0024F;
    running.context->setTensorAddress("scale", &step);
    expectNear(running.run({std::log(3.F), 0}, 2), {0.768F, 0.2496F});
}

TEST(Attention, quantizesOnlyWithATypeAndAScale) {
    Defining d;
    IAttention* attention = addAttention(d, d.input("x", {1, 1, 1, 2}));
    attention->setName("a");
    d.output(attention->getOutput(0));
    EXPECT_FALSE(attention->setNormalizationQuantizeToType(DataType::kHALF));
    EXPECT_EQ(d.messages.lastError(),
              "setNormalizationQuantizeToType: a (Attention): the normalized products are to be quantized to float16; "
              "expected int8 or float8");
    EXPECT_EQ(attention->getNormalizationQuantizeToType(), DataType::kFLOAT);
    EXPECT_TRUE(attention->setNormalizationQuantizeToType(DataType::kFP8));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(), "buildSerializedNetwork: a (Attention): the normalized products are to be "
                                      "quantized to float8, but their scale is missing");
    EXPECT_TRUE(attention->setNormalizationQuantizeToType(DataType::kFLOAT));
    EXPECT_TRUE(attention->setNormalizationQuantizeScale(d.floats({}, {0.5F})));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(), "buildSerializedNetwork: a (Attention): a scale of the normalized products, but "
                                      "no type to quantize them to; expected int8 or float8");
}

TEST(Attention, refusesAMaskWhereItIsCausalAndInputsThatThereAreNot) {
    Defining d;
    ITensor& x = d.input("x", {1, 1, 1, 2});
    IAttention* attention = addAttention(d, x, true);
    attention->setName("a");
    EXPECT_FALSE(attention->setMask(x));
    EXPECT_EQ(d.messages.lastError(),
              "setMask: a (Attention): a mask and causal; set one of them, or use a mask that is causal too");
    EXPECT_FALSE(attention->setInput(7, x));
    EXPECT_EQ(d.messages.lastError(), "setInput: a (Attention): there is no input 7; expected 0 to 6");
    EXPECT_EQ(attention->getInput(-1), nullptr);
    EXPECT_EQ(d.network->addAttention(x, x, x, static_cast<AttentionNormalizationOp>(7), false), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addAttention: normalization operation 7 does not exist; the last one is 1");
}

TEST(ReduceLayer, foldsTheAxesOfAMask) {
    Defining d;
    IReduceLayer* layer = d.network->addReduce(d.input("x", {2, 3}), ReduceOperation::kSUM, 1U << 1, false);
    layer->setOperation(ReduceOperation::kMAX);
    layer->setKeepDimensions(true);
    EXPECT_EQ(layer->getReduceAxes(), 1U << 1);
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{2, 1}));
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 3, 2, 6, 5, 4}, 2), (Floats{3, 6}));
    EXPECT_EQ(d.network->addReduce(*d.network->getInput(0), ReduceOperation::kSUM, 0, false), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addReduce: axis mask 0 names no axis");
}

TEST(ConcatenationLayer, joinsAlongTheAxisThatIsSetAfterwards) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    ITensor& wider = *d.network->addElementWise(x, x, ElementWiseOperation::kSUM)->getOutput(0);
    ITensor* inputs[]{&x, &wider};
    IConcatenationLayer* layer = d.network->addConcatenation(inputs, 2);
    layer->setAxis(1);
    EXPECT_EQ(layer->getAxis(), 1);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4}, 8), (Floats{1, 2, 2, 4, 3, 4, 6, 8}));
}

TEST(ShuffleLayer, transposesReshapesAndTransposes) {
    Defining d;
    IShuffleLayer* layer = d.network->addShuffle(d.input("x", {2, 3}));
    layer->setFirstTranspose(Permutation{{1, 0}});
    layer->setReshapeDimensions(dims({2, -1}));
    layer->setSecondTranspose(Permutation{{1, 0}});
    EXPECT_EQ(layer->getFirstTranspose().order[0], 1);
    EXPECT_EQ(extents(layer->getReshapeDimensions()), (Extents{2, -1}));
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{3, 2}));
    // x^T = 1 4 2 5 3 6, as [2,3], transposed
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 6), (Floats{1, 5, 4, 3, 2, 6}));
}

TEST(ShuffleLayer, refusesWhatIsNoPermutation) {
    Defining d;
    IShuffleLayer* layer = d.network->addShuffle(d.input("x", {2, 3}));
    layer->setFirstTranspose(Permutation{{1, 1}});
    EXPECT_EQ(d.messages.lastError(), "setFirstTranspose: Shuffle_0 (Shuffle): permutation 1, 1 of a tensor of rank 2; "
                                      "expected every number from 0 to 1 once");
}

TEST(SliceLayer, takesEverySecondElement) {
    Defining d;
    ISliceLayer* layer = d.network->addSlice(d.input("x", {1, 6}), dims({0, 1}), dims({1, 3}), dims({1, 2}));
    EXPECT_EQ(extents(layer->getSize()), (Extents{1, 3}));
    EXPECT_EQ(layer->getMode(), SampleMode::kSTRICT_BOUNDS);
    EXPECT_EQ(compute(d, layer->getOutput(0), {0, 1, 2, 3, 4, 5}, 3), (Floats{1, 3, 5}));
}

TEST(SliceLayer, takesItsListsFromTensorsAndFillsOutside) {
    Defining d;
    ISliceLayer* layer = d.network->addSlice(d.input("x", {3}), dims({0}), dims({1}), dims({1}));
    layer->setMode(SampleMode::kFILL);
    layer->setInput(1, d.integers({1}, {-1}));
    layer->setInput(2, d.integers({1}, {5}));
    EXPECT_EQ(layer->getStart().nbDims, -1);
    EXPECT_EQ(extents(layer->getStride()), (Extents{1}));
    EXPECT_EQ(compute(d, layer->getOutput(0), {7, 8, 9}, 5), (Floats{0, 7, 8, 9, 0}));
}

TEST(GatherLayer, picksRowsByIndex) {
    Defining d;
    IGatherLayer* layer = d.network->addGather(d.input("x", {3, 2}), d.integers({2}, {2, 0}), 0);
    EXPECT_EQ(layer->getMode(), GatherMode::kDEFAULT);
    EXPECT_EQ(layer->getGatherAxis(), 0);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 4), (Floats{5, 6, 1, 2}));
}

TEST(GatherLayer, picksElementsByCoordinates) {
    Defining d;
    IGatherLayer* layer =
        d.network->addGatherV2(d.input("x", {2, 2}), d.integers({2, 2}, {0, 1, 1, 0}), GatherMode::kND);
    layer->setNbElementWiseDims(0);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4}, 2), (Floats{2, 3}));
}

TEST(ResizeLayer, samplesAtOtherSizes) {
    Defining d;
    IResizeLayer* layer = d.network->addResize(d.input("x", {1, 1, 1, 2}));
    float const scales[]{1, 1, 1, 2};
    layer->setScales(scales, 4);
    layer->setResizeMode(InterpolationMode::kLINEAR);
    layer->setCoordinateTransformation(ResizeCoordinateTransformation::kALIGN_CORNERS);
    float read[4]{};
    EXPECT_EQ(layer->getScales(4, read), 4);
    EXPECT_EQ(read[3], 2.F);
    EXPECT_EQ(layer->getResizeMode(), InterpolationMode::kLINEAR);
    expectNear(compute(d, layer->getOutput(0), {0, 3}, 4), {0, 1, 2, 3});
}

TEST(ResizeLayer, refusesScalesThatAreNotOneForEachAxis) {
    Defining d;
    IResizeLayer* layer = d.network->addResize(d.input("x", {1, 1, 1, 2}));
    float const scales[]{2, 2};
    layer->setScales(scales, 2);
    EXPECT_EQ(d.messages.lastError(), "setScales: Resize_0 (Resize): 2 scales for a tensor of rank 4; expected one for "
                                      "each axis");
    EXPECT_EQ(layer->getScales(0, nullptr), -1);
}

TEST(SelectLayer, choosesByACondition) {
    Defining d;
    ITensor& x = d.input("x", {2});
    ITensor& negative = *d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0);
    ITensor& isLess = *d.network->addElementWise(x, negative, ElementWiseOperation::kLESS)->getOutput(0);
    ISelectLayer* layer = d.network->addSelect(isLess, negative, x);
    EXPECT_EQ(layer->getType(), LayerType::kSELECT);
    EXPECT_EQ(compute(d, layer->getOutput(0), {-3, 4}, 2), (Floats{3, 4})); // |x|
}

TEST(CastLayer, cutsOffTowardsZero) {
    Defining d;
    ICastLayer* layer = d.network->addCast(d.input("x", {2}), DataType::kINT32);
    EXPECT_EQ(layer->getToType(), DataType::kINT32);
    ICastLayer* back = d.network->addCast(*layer->getOutput(0), DataType::kFLOAT);
    EXPECT_EQ(compute(d, back->getOutput(0), {1.9F, -1.9F}, 2), (Floats{1, -1}));
}

TEST(IdentityLayer, convertsByItsOutputType) {
    Defining d;
    IIdentityLayer* layer = d.network->addIdentity(d.input("x", {2}));
    layer->setOutputType(0, DataType::kINT32);
    IIdentityLayer* back = d.network->addIdentity(*layer->getOutput(0));
    back->setOutputType(0, DataType::kFLOAT);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    EXPECT_EQ(compute(d, back->getOutput(0), {2.7F, -0.5F}, 2), (Floats{2, 0}));
}

TEST(ShapeLayer, tellsTheShapeInInt64) {
    Defining d;
    ITensor* shape = d.network->addShape(d.input("x", {-1, 5}))->getOutput(0);
    EXPECT_EQ(shape->getType(), DataType::kINT64);
    EXPECT_EQ(extents(shape->getDimensions()), (Extents{2}));
}

TEST(SqueezeLayer, removesAndUnsqueezeInsertsAxes) {
    Defining d;
    ITensor& x = d.input("x", {1, 2});
    ITensor* flat = d.network->addSqueeze(x, d.integers({1}, {0}))->getOutput(0);
    EXPECT_EQ(extents(flat->getDimensions()), (Extents{2}));
    ITensor* deep = d.network->addUnsqueeze(*flat, d.integers({2}, {0, 2}))->getOutput(0);
    EXPECT_EQ(extents(deep->getDimensions()), (Extents{1, 2, 1}));
}

TEST(ConstantLayer, isReadBackAndGivenAnotherShape) {
    Defining d;
    Floats const values{1, 2, 3, 4};
    IConstantLayer* layer = d.network->addConstant(dims({4}), weights(values));
    EXPECT_EQ(layer->getWeights().values, values.data());
    layer->setDimensions(dims({2, 2}));
    EXPECT_EQ(extents(layer->getDimensions()), (Extents{2, 2}));
    EXPECT_EQ(d.network->addConstant(dims({3}), weights(values)), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addConstant: weights have 4 values; expected 3 for shape [3]");
}

} // namespace
} // namespace tenon
