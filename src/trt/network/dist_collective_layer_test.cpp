// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

TEST(DistCollectiveLayer, changesNothingOnOneDevice) {
    for (CollectiveOperation const op :
         {CollectiveOperation::kALL_REDUCE, CollectiveOperation::kALL_GATHER, CollectiveOperation::kBROADCAST,
          CollectiveOperation::kREDUCE, CollectiveOperation::kREDUCE_SCATTER}) {
        Defining d;
        int64_t group = 0;
        IDistCollectiveLayer* layer =
            d.network->addDistCollective(d.input("x", {3}), op, ReduceOperation::kAVG, 0, &group, 1);
        ASSERT_NE(layer, nullptr) << d.messages.lastError();
        EXPECT_EQ(layer->getType(), LayerType::kDIST_COLLECTIVE);
        EXPECT_TRUE(layer->setNbRanks(1));
        EXPECT_EQ(layer->getNbRanks(), 1);
        d.output(layer->getOutput(0));
        EXPECT_EQ(Running(*d.build()).run({1, 2, 3}, 3), (std::vector<float>{1, 2, 3}));
    }
}

TEST(DistCollectiveLayer, saysWhatTakesMoreDevices) {
    Defining d;
    ITensor& x = d.input("x", {3});
    constexpr auto kAllReduce = CollectiveOperation::kALL_REDUCE;
    constexpr auto kSum = ReduceOperation::kSUM;
    int64_t groups[]{0, 1};
    EXPECT_EQ(d.network->addDistCollective(x, kAllReduce, kSum, -1, groups, 2), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addDistCollective: not supported: groups of 2 devices; an engine runs on one");
    EXPECT_EQ(d.network->addDistCollective(x, kAllReduce, kSum, 3, nullptr, 0), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addDistCollective: not supported: device 3 as the root; an engine runs on one, 0");
    EXPECT_EQ(d.network->addDistCollective(x, kAllReduce, kSum, -1, groups + 1, 1), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addDistCollective: not supported: a group of device 1; an engine runs on one, 0");
    EXPECT_EQ(d.network->addDistCollective(x, kAllReduce, ReduceOperation::kNONE, -1, nullptr, 0), nullptr);
    EXPECT_EQ(d.messages.lastError(),
              "addDistCollective: a collective operation that combines has no reduction; give one "
              "from kSUM to kAVG");
    EXPECT_EQ(d.network->addDistCollective(x, static_cast<CollectiveOperation>(99), kSum, -1, nullptr, 0), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addDistCollective: collective operation 99 does not exist; the last one is 7");
    IDistCollectiveLayer* layer = d.network->addDistCollective(x, kAllReduce, kSum, -1, nullptr, 0);
    layer->setName("all");
    EXPECT_FALSE(layer->setNbRanks(2));
    EXPECT_EQ(d.messages.lastError(), "ILayer::setNbRanks: not supported: all (Identity) on 2 devices");
}

} // namespace
} // namespace tenon
