// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

/// Samples X [1,1,1,2], the input x, at (-1, 0), (0, 0) and (2, 0).
IGridSampleLayer* addSampling(Defining& d) {
    static float const points[]{-1, 0, 0, 0, 2, 0};
    ITensor& grid = *d.network->addConstant(Dims4{1, 1, 3, 2}, Weights{DataType::kFLOAT, points, 6})->getOutput(0);
    return d.network->addGridSample(d.input("x", {1, 1, 1, 2}), grid);
}

Floats compute(Defining& d, ITensor* y) {
    d.output(y);
    return Running(*d.build()).run({4, 6}, 3);
}

TEST(GridSampleLayer, interpolatesBetweenElementsAndZerosAtFirst) {
    Defining d;
    IGridSampleLayer* layer = addSampling(d);
    EXPECT_EQ(layer->getType(), LayerType::kGRID_SAMPLE);
    EXPECT_EQ(layer->getInterpolationMode(), InterpolationMode::kLINEAR);
    EXPECT_FALSE(layer->getAlignCorners());
    EXPECT_EQ(layer->getSampleMode(), SampleMode::kFILL);
    EXPECT_EQ(compute(d, layer->getOutput(0)), (Floats{2, 5, 0}));
}

TEST(GridSampleLayer, keepsItsSettings) {
    Defining d;
    IGridSampleLayer* layer = addSampling(d);
    layer->setInterpolationMode(InterpolationMode::kNEAREST);
    layer->setAlignCorners(true);
    EXPECT_TRUE(layer->setSampleMode(SampleMode::kREFLECT));
    EXPECT_EQ(layer->getSampleMode(), SampleMode::kREFLECT);
    EXPECT_TRUE(layer->setSampleMode(SampleMode::kCLAMP));
    EXPECT_EQ(layer->getInterpolationMode(), InterpolationMode::kNEAREST);
    EXPECT_TRUE(layer->getAlignCorners());
    EXPECT_EQ(layer->getSampleMode(), SampleMode::kCLAMP);
    EXPECT_EQ(compute(d, layer->getOutput(0)), (Floats{4, 4, 6}));
}

TEST(GridSampleLayer, refusesSampleModesThatDoNotApply) {
    Defining d;
    IGridSampleLayer* layer = addSampling(d);
    layer->setName("sample");
    EXPECT_FALSE(layer->setSampleMode(SampleMode::kWRAP));
    EXPECT_EQ(d.messages.lastError(), "setSampleMode: sample (GridSample): sample mode 1 does not apply; expected "
                                      "kFILL, kCLAMP or kREFLECT");
    EXPECT_EQ(layer->getSampleMode(), SampleMode::kFILL);
}

} // namespace
} // namespace tenon
