// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

TEST(CumulativeLayer, addsUpAsItIsSet) { // numpy: np.cumsum(x[:, ::-1], 1)[:, ::-1] - x
    Defining d;
    int32_t const along = 1;
    ITensor& axis = *d.network->addConstant(dims({}), {DataType::kINT32, &along, 1})->getOutput(0);
    ICumulativeLayer* layer =
        d.network->addCumulative(d.input("x", {2, 3}), axis, CumulativeOperation::kSUM, false, false);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kCUMULATIVE);
    EXPECT_TRUE(layer->setOperation(CumulativeOperation::kSUM));
    EXPECT_EQ(layer->getOperation(), CumulativeOperation::kSUM);
    EXPECT_FALSE(layer->getExclusive());
    EXPECT_FALSE(layer->getReverse());
    layer->setExclusive(true);
    layer->setReverse(true);
    EXPECT_TRUE(layer->getExclusive());
    EXPECT_TRUE(layer->getReverse());
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{5, 3, 0, 11, 6, 0}));
}

TEST(CumulativeLayer, refusesAnOperationThatThereIsNot) {
    Defining d;
    int32_t const along = 0;
    ITensor& axis = *d.network->addConstant(dims({}), {DataType::kINT32, &along, 1})->getOutput(0);
    EXPECT_EQ(d.network->addCumulative(d.input("x", {2}), axis, static_cast<CumulativeOperation>(1), false, false),
              nullptr);
    EXPECT_EQ(d.messages.lastError(), "addCumulative: cumulative operation 1 does not exist; the last one is 0");
}

} // namespace
} // namespace tenon
