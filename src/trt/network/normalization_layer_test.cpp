// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// INormalizationLayer. Expected values are worked out by hand: the inputs have a deviation of 1.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

Floats compute(Defining& d, INormalizationLayer& layer, Floats const& x) {
    d.output(layer.getOutput(0));
    return Running(*d.build()).run(x, x.size());
}

Floats const kX{1, -1, 1, -1, -3, -5, -3, -5};

TEST(NormalizationLayer, normalizesAlongTheAxesOfAMask) {
    Defining d;
    INormalizationLayer* layer =
        d.network->addNormalization(d.input("x", {2, 4}), d.floats({1, 4}, {1, 2, 3, 4}), d.floats({1, 1}, {10}), 2);
    EXPECT_EQ(layer->getType(), LayerType::kNORMALIZATION);
    EXPECT_EQ(layer->getNbInputs(), 3);
    EXPECT_EQ(layer->getAxes(), 2U);
    EXPECT_EQ(layer->getEpsilon(), 1e-5F);
    EXPECT_EQ(layer->getNbGroups(), 1);
    EXPECT_EQ(layer->getComputePrecision(), DataType::kFLOAT);
    EXPECT_FALSE(layer->isV2());
    layer->setEpsilon(0);
    EXPECT_EQ(layer->getEpsilon(), 0.F);
    EXPECT_EQ(compute(d, *layer, kX), (Floats{11, 8, 13, 6, 11, 8, 13, 6}));
}

TEST(NormalizationLayer, takesOtherAxesAfterwards) {
    Defining d;
    INormalizationLayer* layer =
        d.network->addNormalization(d.input("x", {2, 4}), d.floats({1, 1}, {1}), d.floats({1, 1}, {0}), 2);
    layer->setAxes(1);
    layer->setEpsilon(0);
    layer->setComputePrecision(DataType::kHALF);
    EXPECT_EQ(layer->getAxes(), 1U);
    EXPECT_EQ(layer->getComputePrecision(), DataType::kHALF);
    EXPECT_EQ(compute(d, *layer, kX), (Floats{1, 1, 1, 1, -1, -1, -1, -1}));
}

TEST(NormalizationLayer, takesAScaleForEachGroup) {
    Defining d;
    INormalizationLayer* layer = d.network->addNormalization(d.input("x", {1, 4, 2}), d.floats({1, 2, 1}, {1, 2}),
                                                             d.floats({1, 2, 1}, {0, 10}), 4);
    layer->setNbGroups(2);
    layer->setEpsilon(0);
    EXPECT_EQ(layer->getNbGroups(), 2);
    EXPECT_EQ(compute(d, *layer, kX), (Floats{1, -1, 1, -1, 12, 8, 12, 8}));
}

TEST(NormalizationLayer, takesAScaleForEachChannelInItsSecondVersion) {
    Defining d;
    INormalizationLayer* layer = d.network->addNormalizationV2(
        d.input("x", {1, 4, 2}), d.floats({1, 4, 1}, {1, 2, 3, 4}), d.floats({1, 4, 1}, {0, 0, 0, 10}), 4);
    layer->setNbGroups(2);
    layer->setEpsilon(0);
    EXPECT_TRUE(layer->isV2());
    EXPECT_EQ(compute(d, *layer, kX), (Floats{1, -1, 2, -2, 3, -3, 14, 6}));
}

TEST(NormalizationLayer, refusesSettingsThatCannotBe) {
    Defining d;
    ITensor& x = d.input("x", {2, 4});
    ITensor& one = d.floats({1, 1}, {1});
    EXPECT_EQ(d.network->addNormalization(x, one, one, 4), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addNormalization: axis mask 4 names axis 2 of a tensor of rank 2");
    INormalizationLayer* layer = d.network->addNormalizationV2(x, one, one, 2);
    layer->setEpsilon(-1);
    EXPECT_EQ(d.messages.lastError(), "setEpsilon: Normalization_1 (Normalization): epsilon is -1; expected 0 or more");
    layer->setComputePrecision(DataType::kINT32);
    EXPECT_EQ(
        d.messages.lastError(),
        "setComputePrecision: Normalization_1 (Normalization): compute precision int32; expected kFLOAT or kHALF");
    EXPECT_EQ(layer->getEpsilon(), 1e-5F);
    layer->setAxes(8);
    EXPECT_EQ(d.messages.lastError(),
              "setAxes: Normalization_1 (Normalization): axis mask 8 names axis 3 of a tensor of rank 2");
    layer->setNbGroups(3);
    EXPECT_EQ(layer->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_EQ(
        d.messages.lastError(),
        "ITensor::getDimensions: Normalization_1 (Normalization): normalizes 3 groups of channels along other axes "
        "than all after the channels (2 and on)");
}

TEST(NormalizationLayer, refusesAScaleThatDoesNotBroadcast) {
    Defining d;
    INormalizationLayer* layer =
        d.network->addNormalization(d.input("x", {2, 4}), d.floats({1, 3}, {1, 1, 1}), d.floats({1, 1}, {1}), 2);
    d.output(layer->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_EQ(d.messages.lastError(), "buildSerializedNetwork: Normalization_2 (Normalization): the scale has shape "
                                      "[1,3], which does not broadcast to [2,4] of input 0");
}

} // namespace
} // namespace tenon
