// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

#include <limits>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;

TEST(FillLayer, countsFromAlphaInStepsOfBeta) {
    Defining d;
    IFillLayer* layer = d.network->addFill(dims({4}), FillOperation::kRANDOM_UNIFORM, DataType::kFLOAT);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kFILL);
    EXPECT_EQ(layer->getNbInputs(), 0);
    EXPECT_EQ(layer->getAlpha(), 0);
    EXPECT_EQ(layer->getBeta(), 1);
    layer->setOperation(FillOperation::kLINSPACE);
    layer->setAlpha(2.5);
    layer->setBeta(-1);
    layer->setDimensions(dims({3}));
    EXPECT_EQ(layer->getOperation(), FillOperation::kLINSPACE);
    EXPECT_EQ(layer->getAlpha(), 2.5);
    EXPECT_EQ(layer->getBeta(), -1);
    EXPECT_FALSE(layer->isAlphaBetaInt64());
    EXPECT_EQ(extents(layer->getDimensions()), (std::vector<int64_t>{3}));
    ITensor& x = d.input("x", {3});
    ITensor* sum = d.network->addElementWise(x, *layer->getOutput(0), ElementWiseOperation::kSUM)->getOutput(0);
    d.output(sum);
    EXPECT_EQ(Running(*d.build()).run({10, 20, 30}, 3), (std::vector<float>{12.5F, 21.5F, 30.5F}));
}

TEST(FillLayer, takesWholeNumbers) {
    Defining d;
    IFillLayer* layer = d.network->addFill(dims({2}), FillOperation::kLINSPACE, DataType::kINT64);
    layer->setAlphaInt64(INT64_MAX - 1);
    layer->setBetaInt64(1);
    EXPECT_TRUE(layer->isAlphaBetaInt64());
    EXPECT_EQ(layer->getAlphaInt64(), INT64_MAX - 1);
    EXPECT_EQ(layer->getBetaInt64(), 1);
    EXPECT_EQ(layer->getToType(), DataType::kINT64);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT64);
    layer->setToType(DataType::kINT32);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
}

TEST(FillLayer, takesItsDimensionsAndNumbersFromTensors) {
    Defining d;
    IFillLayer* layer = d.network->addFill(dims({0}), FillOperation::kLINSPACE, DataType::kFLOAT);
    ITensor& x = d.input("x", {2, 3});
    layer->setInput(0, *d.network->addShape(x)->getOutput(0));
    std::vector<float> const steps{10, 1};
    float const first = 100;
    layer->setInput(1, *d.network->addConstant(dims({}), {DataType::kFLOAT, &first, 1})->getOutput(0));
    layer->setInput(2, *d.network->addConstant(dims({2}), test::weights(steps))->getOutput(0));
    EXPECT_EQ(layer->getNbInputs(), 3);
    EXPECT_EQ(layer->getDimensions().nbDims, -1);
    EXPECT_EQ(layer->getAlpha(), -1);
    d.output(d.network->addElementWise(x, *layer->getOutput(0), ElementWiseOperation::kSUM)->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({0, 0, 0, 0, 0, 0}, 6), (std::vector<float>{100, 101, 102, 110, 111, 112}));
}

TEST(FillLayer, isOfTheTypeOfItsNumbersWhereNoneIsSaid) {
    Defining d;
    IFillLayer* layer = d.network->addFill(dims({3}), FillOperation::kLINSPACE);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kFLOAT);
    layer->setInput(1, d.integers({}, {7}));
    layer->setInput(2, d.integers({1}, {-2}));
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    d.output(d.network->addCast(*layer->getOutput(0), DataType::kFLOAT)->getOutput(0));
    d.input("x", {1});
    EXPECT_EQ(Running(*d.build()).run({0}, 3), (std::vector<float>{7, 5, 3}));
}

TEST(FillLayer, takesIntegersOfAnotherWidth) {
    Defining d;
    IFillLayer* layer = d.network->addFill(dims({3}), FillOperation::kLINSPACE, DataType::kFLOAT);
    layer->setInput(1, d.integers({}, {7}));
    layer->setInput(2, d.integers({1}, {-2}));
    layer->setToType(DataType::kINT64);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT64);
    d.output(d.network->addCast(*layer->getOutput(0), DataType::kFLOAT)->getOutput(0));
    d.input("x", {1});
    EXPECT_EQ(Running(*d.build()).run({0}, 3), (std::vector<float>{7, 5, 3}));
}

TEST(FillLayer, refusesWhatIsNoNumberOrOperation) {
    Defining d;
    EXPECT_EQ(d.network->addFill(dims({2}), static_cast<FillOperation>(9), DataType::kFLOAT), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addFill: fill operation 9 does not exist; the last one is 2");
    IFillLayer* layer = d.network->addFill(dims({2}), FillOperation::kLINSPACE, DataType::kFLOAT);
    layer->setName("ramp");
    layer->setAlpha(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(d.messages.lastError(), "setAlpha: ramp (Fill): nan is not a finite number");
    EXPECT_EQ(layer->getAlpha(), 0);
}

} // namespace
} // namespace tenon
