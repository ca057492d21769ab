// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

constexpr auto kAllReduce = CollectiveOperation::kALL_REDUCE;
constexpr auto kSum = ReduceOperation::kSUM;

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

TEST(DistCollectiveLayer, hasTheShapeOfItsRanks) {
    Defining d;
    ITensor& x = d.input("x", {4, 3});
    auto* const gather =
        d.network->addDistCollective(x, CollectiveOperation::kALL_GATHER, ReduceOperation::kNONE, -1, nullptr, 0);
    EXPECT_TRUE(gather->setNbRanks(2));
    EXPECT_EQ(gather->getNbRanks(), 2);
    EXPECT_EQ(test::extents(gather->getOutput(0)->getDimensions()), (std::vector<int64_t>{8, 3}));
    auto* const scatter = d.network->addDistCollective(x, CollectiveOperation::kREDUCE_SCATTER, kSum, -1, nullptr, 0);
    EXPECT_TRUE(scatter->setNbRanks(2));
    EXPECT_EQ(test::extents(scatter->getOutput(0)->getDimensions()), (std::vector<int64_t>{2, 3}));
    EXPECT_FALSE(scatter->setNbRanks(0));
    EXPECT_EQ(d.messages.lastError().find("setNbRanks: "), 0U) << d.messages.lastError();
    EXPECT_NE(d.messages.lastError().find("0 ranks; expected 1 or more"), std::string::npos);
}

/// Nothing of it is computed before the run, and another machine may run it.
TEST(DistCollectiveLayer, isBuiltWhereItCannotRun) {
    Defining d;
    ITensor& two = d.floats({2}, {1, 2});
    auto* const layer = d.network->addDistCollective(two, kAllReduce, kSum, -1, nullptr, 0);
    layer->setName("all");
    EXPECT_TRUE(layer->setNbRanks(2));
    d.input("x", {1});
    d.output(layer->getOutput(0));
    Running r(*d.build());
    float x = 0;
    float y[2]{};
    r.context->setTensorAddress("x", &x);
    r.context->setTensorAddress("y", y);
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: all (DistCollective): all_reduce among 2 ranks, but the context has "
                                      "no communicator; set one of NCCL with setCommunicator, on a GPU");
    EXPECT_FALSE(r.context->setCommunicator(&x));
    EXPECT_EQ(r.messages.lastError().find("setCommunicator: an NCCL communicator requires GPUs; the engine runs on "),
              0U)
        << r.messages.lastError();
    EXPECT_TRUE(r.context->setCommunicator(nullptr));
}

TEST(DistCollectiveLayer, standsInFrontOfAnAttentionOfSeveralRanks) {
    Defining d;
    ITensor& x = d.input("x", {1, 2, 3, 4});
    IAttention* const attention = d.network->addAttention(x, x, x, AttentionNormalizationOp::kSOFTMAX, true);
    attention->setName("attention");
    EXPECT_EQ(attention->getNbRanks(), 1);
    EXPECT_FALSE(attention->setNbRanks(0));
    EXPECT_NE(d.messages.lastError().find("0 ranks; expected 1 or more"), std::string::npos) << d.messages.lastError();
    EXPECT_EQ(attention->getNbRanks(), 1);
    EXPECT_TRUE(attention->setNbRanks(2));
    EXPECT_EQ(attention->getNbRanks(), 2);
    d.output(attention->getOutput(0));
    Running r(*d.build());
    std::vector<float> values(24);
    r.context->setTensorAddress("x", values.data());
    r.context->setTensorAddress("y", values.data());
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_NE(r.messages.lastError().find("(DistCollective): all_gather among 2 ranks, but the context has no "
                                          "communicator; set one of NCCL with setCommunicator, on a GPU"),
              std::string::npos)
        << r.messages.lastError();
}

TEST(DistCollectiveLayer, saysWhatIsWrong) {
    Defining d;
    ITensor& x = d.input("x", {3});
    int64_t group[]{0, 1};
    auto const error = [&](CollectiveOperation op, ReduceOperation reduction, int64_t root, int64_t* ranks,
                           int64_t count) {
        EXPECT_EQ(d.network->addDistCollective(x, op, reduction, root, ranks, count), nullptr);
        return d.messages.lastError();
    };
    EXPECT_NE(error(kAllReduce, ReduceOperation::kNONE, -1, nullptr, 0)
                  .find("all_reduce without a reduction; expected kSUM to kAVG"),
              std::string::npos);
    EXPECT_NE(error(CollectiveOperation::kBROADCAST, ReduceOperation::kNONE, -1, nullptr, 0)
                  .find("broadcast with rank -1 as its root; expected 0 to 1048576"),
              std::string::npos);
    EXPECT_NE(error(CollectiveOperation::kREDUCE, kSum, 2, group, 2)
                  .find("reduce with rank 2 as its root, which is not in its group"),
              std::string::npos);
    EXPECT_EQ(error(kAllReduce, kSum, -1, nullptr, 2),
              "addDistCollective: a group of 2 ranks, which is null; expected that many, or none for all");
    EXPECT_EQ(error(kAllReduce, kSum, -1, group, -1),
              "addDistCollective: a group of -1 ranks, which is given; expected that many, or none for all");
    EXPECT_EQ(error(static_cast<CollectiveOperation>(99), kSum, -1, nullptr, 0),
              "addDistCollective: collective operation 99 does not exist; the last one is 7");
    ILayer* const other = d.network->addSoftMax(d.input("z", {1, 3}));
    other->setName("softmax");
    EXPECT_FALSE(other->setNbRanks(2));
    EXPECT_EQ(d.messages.lastError(),
              "ILayer::setNbRanks: softmax (Softmax) runs on one device, not on 2; only layers of addDistCollective, "
              "and attentions by IAttention::setNbRanks, exchange data with others");
}

} // namespace
} // namespace tenon
