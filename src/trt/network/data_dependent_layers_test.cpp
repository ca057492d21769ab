// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Layers of the API whose output sizes depend on the elements of their inputs.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// The results of the network for x; `most` numbers, of which the last may not be written.
Floats compute(Defining& d, ITensor* y, Floats const& x, size_t most) {
    d.output(d.network->addCast(*y, DataType::kFLOAT)->getOutput(0));
    return Running(*d.build()).run(x, most);
}

TEST(NonZeroLayer, listsCoordinates) {
    Defining d;
    INonZeroLayer* layer = d.network->addNonZero(d.input("x", {2, 2}));
    EXPECT_EQ(layer->getType(), LayerType::kNON_ZERO);
    EXPECT_EQ(layer->getIndicesType(), DataType::kINT32);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{2, -1}));
    Floats found = compute(d, layer->getOutput(0), {0, 5, 6, 0}, 8);
    found.resize(4);
    EXPECT_EQ(found, (Floats{0, 1, 1, 0}));
}

TEST(NonZeroLayer, hidesTheNumberOfThem) {
    Defining d;
    INonZeroLayer* layer = d.network->addNonZero(d.input("x", {2, 2}));
    EXPECT_EQ(layer->getNbOutputs(), 1);
    EXPECT_EQ(layer->getOutput(1), nullptr);
}

TEST(NonZeroLayer, hasIndicesOfTheTypeThatIsAskedFor) {
    Defining d;
    INonZeroLayer* layer = d.network->addNonZero(d.input("x", {2}), DataType::kINT64);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT64);
    EXPECT_TRUE(layer->setIndicesType(DataType::kINT32));
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    EXPECT_FALSE(layer->setIndicesType(DataType::kHALF));
    EXPECT_EQ(d.messages.lastError(),
              "setIndicesType: NonZero_0 (NonZero): indices of type float16; expected int32 or int64");
    EXPECT_EQ(layer->getIndicesType(), DataType::kINT32);
}

/// One element.
ITensor& constant(Defining& d, DataType type, void const* value) {
    return *d.network->addConstant(Dims{0, {}}, Weights{type, value, 1})->getOutput(0);
}

/// Two boxes at one position and one elsewhere, scored by x [1,3,1].
INMSLayer* addNms(Defining& d) {
    static float const boxes[]{0, 0, 1, 1, 0, 0, 1, 1, 5, 5, 6, 6};
    static int32_t const most = 3;
    ITensor& places = *d.network->addConstant(Dims3{1, 3, 4}, Weights{DataType::kFLOAT, boxes, 12})->getOutput(0);
    return d.network->addNMS(places, d.input("x", {1, 3, 1}), constant(d, DataType::kINT32, &most));
}

TEST(NmsLayer, choosesBoxes) {
    Defining d;
    INMSLayer* layer = addNms(d);
    EXPECT_EQ(layer->getType(), LayerType::kNMS);
    EXPECT_EQ(layer->getNbInputs(), 3);
    EXPECT_EQ(layer->getNbOutputs(), 2);
    EXPECT_EQ(layer->getTopKBoxLimit(), 5000);
    EXPECT_EQ(layer->getBoundingBoxFormat(), BoundingBoxFormat::kCORNER_PAIRS);
    EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{-1, 3}));
    EXPECT_EQ(extents(layer->getOutput(1)->getDimensions()), Extents());
    Floats found = compute(d, layer->getOutput(0), {0.5F, 0.6F, 0.1F}, 9);
    found.resize(6);
    EXPECT_EQ(found, (Floats{0, 0, 1, 0, 0, 2}));
}

TEST(NmsLayer, takesPositiveScoresUnlessItIsToldMore) {
    {
        Defining d;
        EXPECT_EQ(compute(d, addNms(d)->getOutput(1), {0.5F, 0.6F, -0.1F}, 1), (Floats{1}));
    }
    Defining d;
    float const overlap = 1;
    float const least = -1;
    INMSLayer* layer = addNms(d);
    layer->setInput(3, constant(d, DataType::kFLOAT, &overlap));
    layer->setInput(4, constant(d, DataType::kFLOAT, &least));
    EXPECT_EQ(layer->getNbInputs(), 5);
    EXPECT_EQ(compute(d, layer->getOutput(1), {0.5F, 0.6F, -0.1F}, 1), (Floats{3}));
}

TEST(NmsLayer, keepsItsSettings) {
    Defining d;
    INMSLayer* layer = addNms(d);
    layer->setName("nms");
    layer->setBoundingBoxFormat(BoundingBoxFormat::kCENTER_SIZES);
    EXPECT_EQ(layer->getBoundingBoxFormat(), BoundingBoxFormat::kCENTER_SIZES);
    layer->setTopKBoxLimit(1);
    EXPECT_EQ(layer->getTopKBoxLimit(), 1);
    layer->setTopKBoxLimit(0);
    EXPECT_EQ(d.messages.lastError(), "setTopKBoxLimit: nms (Nms): a limit of 0 boxes; expected at least 1");
    EXPECT_TRUE(layer->setIndicesType(DataType::kINT64));
    EXPECT_EQ(layer->getIndicesType(), DataType::kINT64);
    EXPECT_EQ(layer->getOutput(1)->getType(), DataType::kINT64);
    EXPECT_EQ(compute(d, layer->getOutput(1), {0.5F, 0.6F, 0.1F}, 1), (Floats{1}));
}

} // namespace
} // namespace tenon
