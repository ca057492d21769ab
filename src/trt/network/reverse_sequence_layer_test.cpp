// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

TEST(ReverseSequenceLayer, turnsRoundTheFirstStepsAlongItsAxes) {
    Defining d;
    std::vector<int32_t> const lengths{2, 3};
    ITensor& n = *d.network->addConstant(dims({2}), {DataType::kINT32, lengths.data(), 2})->getOutput(0);
    IReverseSequenceLayer* layer = d.network->addReverseSequence(d.input("x", {2, 3}), n);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kREVERSE_SEQUENCE);
    EXPECT_EQ(layer->getBatchAxis(), 1);
    EXPECT_EQ(layer->getSequenceAxis(), 0);
    layer->setBatchAxis(0);
    layer->setSequenceAxis(1);
    EXPECT_EQ(layer->getBatchAxis(), 0);
    EXPECT_EQ(layer->getSequenceAxis(), 1);
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{2, 1, 3, 6, 5, 4}));
}

} // namespace
} // namespace tenon
