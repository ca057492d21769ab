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
using test::Running;

TEST(KVCacheUpdateLayer, writesAnUpdateIntoItsCache) {
    Defining d;
    ITensor& update = d.floats({1, 1, 1, 2}, {9, 8});
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {1, 1, 3, 2}), update, d.integers({1}, {1}), KVCacheMode::kLINEAR);
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
    ITensor& update = d.floats({2, 1, 1}, {7, 8});
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {2, 1, 3, 1}), update, d.integers({2}, {1, 0}), KVCacheMode::kLINEAR);
    EXPECT_EQ(layer->getUpdateForm(), AttentionIOForm::kPADDED_BHND);
    EXPECT_EQ(layer->getUpdateLengths(), nullptr);
    EXPECT_TRUE(layer->setUpdateForm(AttentionIOForm::kPACKED_NHD));
    EXPECT_TRUE(layer->setUpdateLengths(&d.integers({3}, {0, 2, 2})));
    EXPECT_EQ(layer->getUpdateForm(), AttentionIOForm::kPACKED_NHD);
    EXPECT_NE(layer->getUpdateLengths(), nullptr);
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (std::vector<float>{1, 7, 8, 4, 5, 6}));
}

TEST(KVCacheUpdateLayer, saysWhichInputItsOutputAliases) {
    Defining d;
    ITensor& update = d.floats({1, 1, 1, 2}, {9, 8});
    IKVCacheUpdateLayer* layer =
        d.network->addKVCacheUpdate(d.input("x", {1, 1, 3, 2}), update, d.integers({1}, {2}), KVCacheMode::kLINEAR);
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
