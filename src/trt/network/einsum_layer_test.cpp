// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// IEinsumLayer. Expected values are worked out by hand.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

TEST(EinsumLayer, computesItsEquation) {
    Defining d;
    ITensor& x = d.input("x", {2, 2});
    ITensor* const both[]{&x, &x};
    IEinsumLayer* layer = d.network->addEinsum(both, 2, "ij,jk->ik");
    ASSERT_NE(layer, nullptr) << d.messages.lastError();
    EXPECT_EQ(layer->getType(), LayerType::kEINSUM);
    EXPECT_STREQ(layer->getEquation(), "ij,jk->ik");
    EXPECT_TRUE(layer->setEquation("ij,kj->ik"));
    EXPECT_STREQ(layer->getEquation(), "ij,kj->ik");
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4}, 4), (std::vector<float>{5, 11, 11, 25}));
}

TEST(EinsumLayer, refusesWhatIsNoEquation) {
    Defining d;
    ITensor* const x = &d.input("x", {2, 2});
    EXPECT_EQ(d.network->addEinsum(&x, 1, "ij->k"), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addEinsum: equation \"ij->k\" has 'k' in the output alone");
    EXPECT_EQ(d.network->addEinsum(&x, 1, nullptr), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addEinsum: the equation is null");
    EXPECT_EQ(d.network->addEinsum(&x, 0, "ij->i"), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addEinsum: there are no inputs; expected at least one");
}

} // namespace
} // namespace tenon
