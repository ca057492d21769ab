// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The classes of the API for layers that select elements: settings arrive, are read back, and mean what they mean.
// Expected values are worked out by hand from the formulas at the classes.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

using Floats = std::vector<float>;

/// The results of the network for x.
Floats compute(Defining& d, ITensor* y, Floats const& x, size_t count) {
    d.output(y);
    return Running(*d.build()).run(x, count);
}

TEST(TopKLayer, givesValuesAndPlaces) {
    Defining d;
    ITopKLayer* layer = d.network->addTopK(d.input("x", {2, 3}), TopKOperation::kMIN, 1, 1U << 1);
    EXPECT_EQ(layer->getOperation(), TopKOperation::kMIN);
    EXPECT_EQ(layer->getK(), 1);
    EXPECT_EQ(layer->getReduceAxes(), 2U);
    EXPECT_EQ(layer->getIndicesType(), DataType::kINT32);
    layer->setOperation(TopKOperation::kMAX);
    layer->setK(2);
    layer->setReduceAxes(1U << 0);
    EXPECT_EQ(layer->getNbOutputs(), 2);
    EXPECT_EQ(layer->getOutput(1)->getType(), DataType::kINT32);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 5, 3, 4, 2, 6}, 6), (Floats{4, 5, 6, 1, 2, 3}));
}

TEST(TopKLayer, givesPlacesInTheTypeThatIsAskedFor) {
    Defining d;
    ITopKLayer* layer = d.network->addTopK(d.input("x", {3}), TopKOperation::kMAX, 1, 1, DataType::kINT64);
    EXPECT_EQ(layer->getOutput(1)->getType(), DataType::kINT64);
    EXPECT_FALSE(layer->setIndicesType(DataType::kFLOAT));
    EXPECT_TRUE(layer->setIndicesType(DataType::kINT32));
    EXPECT_EQ(layer->getIndicesType(), DataType::kINT32);
    ICastLayer* floats = d.network->addCast(*layer->getOutput(1), DataType::kFLOAT);
    EXPECT_EQ(compute(d, floats->getOutput(0), {1, 5, 3}, 1), (Floats{1}));
}

TEST(TopKLayer, takesItsCountFromATensor) {
    Defining d;
    ITopKLayer* layer = d.network->addTopK(d.input("x", {4}), TopKOperation::kMAX, 0, 1);
    layer->setInput(1, d.integers({}, {3}));
    EXPECT_EQ(layer->getK(), -1);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 5, 3, 4}, 3), (Floats{5, 4, 3}));
}

TEST(TopKLayer, refusesAMaskThatIsNotOneAxis) {
    Defining d;
    EXPECT_EQ(d.network->addTopK(d.input("x", {2, 3}), TopKOperation::kMAX, 1, 3), nullptr);
    EXPECT_NE(d.messages.lastError().find("addTopK: "), std::string::npos) << d.messages.lastError();
    EXPECT_EQ(d.network->addTopK(d.input("y", {2, 3}), static_cast<TopKOperation>(5), 1, 1), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addTopK: TopK operation 5 does not exist; the last one is 1");
}

TEST(ScatterLayer, replacesElementsAlongAnAxis) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor& updates = *d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0);
    IScatterLayer* layer = d.network->addScatter(x, d.integers({2, 3}, {1, 2, 0, 0, 1, 2}), updates, ScatterMode::kND);
    layer->setMode(ScatterMode::kELEMENT);
    EXPECT_EQ(layer->getMode(), ScatterMode::kELEMENT);
    EXPECT_EQ(layer->getAxis(), 0);
    layer->setAxis(-1);
    EXPECT_EQ(layer->getAxis(), 1);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 6), (Floats{-3, -1, -2, -4, -5, -6}));
}

TEST(ScatterLayer, replacesBlocksByCoordinates) {
    Defining d;
    ITensor& x = d.input("x", {2, 3});
    ITensor& updates = *d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0);
    IScatterLayer* layer = d.network->addScatter(x, d.integers({2, 1}, {1, 0}), updates, ScatterMode::kND);
    EXPECT_EQ(layer->getMode(), ScatterMode::kND);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 6), (Floats{-4, -5, -6, -1, -2, -3}));
}

TEST(ScatterLayer, refusesAModeThatThereIsNot) {
    Defining d;
    ITensor& x = d.input("x", {2});
    EXPECT_EQ(d.network->addScatter(x, d.integers({1}, {0}), x, static_cast<ScatterMode>(2)), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addScatter: scatter mode 2 does not exist; the last one is 1");
}

TEST(OneHotLayer, setsOnePlaceOfANewAxis) {
    Defining d;
    ITensor& values = *d.network->addUnary(d.input("x", {2}), UnaryOperation::kNEG)->getOutput(0);
    IOneHotLayer* layer = d.network->addOneHot(d.integers({2}, {2, -3}), values, d.integers({}, {3}), -1);
    EXPECT_EQ(layer->getAxis(), 1);
    layer->setAxis(0);
    EXPECT_EQ(layer->getAxis(), 0);
    EXPECT_EQ(compute(d, layer->getOutput(0), {1, 2}, 6), (Floats{-1, -2, -1, -1, -2, -1}));
}

TEST(OneHotLayer, refusesAnAxisThatThereIsNot) {
    Defining d;
    ITensor& values = d.input("x", {2});
    EXPECT_EQ(d.network->addOneHot(d.integers({2}, {2, 0}), values, d.integers({}, {3}), 2), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addOneHot: axis 2 of a tensor of rank 2; expected -2 to 1");
}

// numpy: e = np.exp([1, 2, 3][:2]); e / e.sum()
TEST(RaggedSoftMaxLayer, normalizesTheFirstValuesOfEachRow) {
    Defining d;
    std::vector<int32_t> const counts{2, 0};
    ITensor& bounds = *d.network
                           ->addConstant(test::dims({1, 2, 1}),
                                         {DataType::kINT32, counts.data(), static_cast<int64_t>(counts.size())})
                           ->getOutput(0);
    IRaggedSoftMaxLayer* layer = d.network->addRaggedSoftMax(d.input("x", {1, 2, 3}), bounds);
    EXPECT_EQ(layer->getType(), LayerType::kRAGGED_SOFTMAX);
    Floats const y = compute(d, layer->getOutput(0), {1, 2, 3, 4, 5, 6}, 6);
    EXPECT_NEAR(y[0], 0.26894143F, 1e-6F);
    EXPECT_NEAR(y[1], 0.73105860F, 1e-6F);
    EXPECT_EQ((Floats{y.begin() + 2, y.end()}), (Floats{0, 0, 0, 0}));
}

TEST(LRNLayer, dividesByTheNeighboursInOtherChannels) {
    Defining d;
    ILRNLayer* layer = d.network->addLRN(d.input("x", {1, 2, 1, 1}), 5, 1, 2, 3);
    EXPECT_EQ(layer->getWindowSize(), 5);
    layer->setWindowSize(3);
    layer->setAlpha(3);
    layer->setBeta(1);
    layer->setK(1);
    EXPECT_EQ(layer->getWindowSize(), 3);
    EXPECT_EQ(layer->getAlpha(), 3.F);
    EXPECT_EQ(layer->getBeta(), 1.F);
    EXPECT_EQ(layer->getK(), 1.F);
    Floats const y = compute(d, layer->getOutput(0), {1, 2}, 2);
    EXPECT_NEAR(y[0], 1 / 6.F, 1e-6F);
    EXPECT_NEAR(y[1], 2 / 6.F, 1e-6F);
}

TEST(LRNLayer, refusesAWindowThatIsNotOdd) {
    Defining d;
    EXPECT_EQ(d.network->addLRN(d.input("x", {1, 2, 1, 1}), 4, 1, 1, 1), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addLRN: a window of 4 channels; expected an odd number from 1 to 15");
}

} // namespace
} // namespace tenon
