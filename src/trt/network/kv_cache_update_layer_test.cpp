// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// As programs of level 11 call it.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

ITensor& whole(Defining& d, std::vector<int64_t> const& extents, std::vector<int32_t> const& values) {
    Weights const weights{DataType::kINT32, values.data(), static_cast<int64_t>(values.size())};
    return *d.network->addConstant(dims(extents), weights)->getOutput(0);
}

TEST(KVCacheUpdateLayer, writesAnUpdateIntoItsCache) {
    Defining d;
    std::vector<float> const values{9, 8};
    ITensor& update = *d.network->addConstant(dims({1, 1, 1, 2}), test::weights(values))->getOutput(0);
    std::vector<int32_t> const begin{1};
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {1, 1, 3, 2}), update, whole(d, {1}, begin), KVCacheMode::kLINEAR);
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kKVCACHE_UPDATE);
    EXPECT_TRUE(layer->setCacheMode(KVCacheMode::kLINEAR));
    EXPECT_EQ(layer->getCacheMode(), KVCacheMode::kLINEAR);
    EXPECT_FALSE(layer->setCacheMode(static_cast<KVCacheMode>(1)));
    EXPECT_EQ(d.messages.lastError().substr(d.messages.lastError().find("): ") + 3),
              "cache mode 1 does not exist; the last one is 0");
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{1, 2, 9, 8, 5, 6}));
}

TEST(KVCacheUpdateLayer, takesPackedUpdates) { // of 2 tokens for the first sequence, and none for the other
    Defining d;
    std::vector<float> const values{7, 8};
    ITensor& update = *d.network->addConstant(dims({2, 1, 1}), test::weights(values))->getOutput(0);
    std::vector<int32_t> const begin{1, 0};
    std::vector<int32_t> const lengths{0, 2, 2};
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {2, 1, 3, 1}), update, whole(d, {2}, begin), KVCacheMode::kLINEAR);
    EXPECT_EQ(layer->getUpdateForm(), AttentionIOForm::kPADDED_BHND);
    EXPECT_EQ(layer->getUpdateLengths(), nullptr);
    EXPECT_TRUE(layer->setUpdateForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(layer->setUpdateLengths(&whole(d, {3}, lengths)));
    EXPECT_EQ(layer->getUpdateForm(), AttentionIOForm::kPACKED_NHD);
    EXPECT_NE(layer->getUpdateLengths(), nullptr);
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{1, 7, 8, 4, 5, 6}));
}

TEST(KVCacheUpdateLayer, saysWhichInputItsOutputAliases) {
    Defining d;
    std::vector<float> const values{9, 8};
    ITensor& update = *d.network->addConstant(dims({1, 1, 1, 2}), test::weights(values))->getOutput(0);
    std::vector<int32_t> const begin{2};
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {1, 1, 3, 2}), update, whole(d, {1}, begin), KVCacheMode::kLINEAR);
    d.output(layer->getOutput(0));
    Running r(*d.build());
    EXPECT_STREQ(r.engine->getAliasedInputTensor("y"), "x");
    EXPECT_EQ(r.engine->getAliasedInputTensor("x"), nullptr);
    std::vector<float> cache{1, 2, 3, 4, 5, 6};
    r.context->setTensorAddress("x", cache.data());
    r.context->setTensorAddress("y", cache.data());
    r.run();
    EXPECT_EQ(cache, (std::vector<float>{1, 2, 3, 4, 9, 8}));
}

} // namespace
} // namespace tenon
