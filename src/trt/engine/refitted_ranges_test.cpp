// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges that a refitter exchanges of x [1,1,1,4] → maxima of pairs → y, which are moved in int8: both have one range.

#include "support/api.h"

#include <limits>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;

struct Maxima : Defining {
    Maxima() {
        IPoolingLayer* const pool =
            network->addPoolingNd(input("x", {1, 1, 1, 4}), PoolingType::kMAX, test::dims({1, 2}));
        pool->setName("pool");
        pool->setStrideNd(test::dims({1, 2}));
        pool->setPrecision(DataType::kINT8);
        output(pool->getOutput(0));
        for (ITensor* const tensor : {network->getInput(0), network->getOutput(0)}) tensor->setDynamicRange(-127, 127);
        for (auto const flag : {BuilderFlag::kINT8, BuilderFlag::kOBEY_PRECISION_CONSTRAINTS, BuilderFlag::kREFIT})
            config->setFlag(flag);
    }
};

class RefittedRanges : public testing::Test {
protected:
    Running r{*Maxima().build()};
    std::unique_ptr<IRefitter> refitter{createInferRefitter(*r.engine, r.messages)};

    Floats maxima() { return r.run({1.25F, 0, -3, -2.75F}, 2); }
};

TEST_F(RefittedRanges, areReadBackAsTheyWereSet) {
    for (char const* const tensor : {"x", "y"}) EXPECT_TRUE(refitter->setDynamicRange(tensor, -2, 31.75F));
    EXPECT_TRUE(refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(refitter->getDynamicRangeMin("x"), -2);
    EXPECT_EQ(refitter->getDynamicRangeMax("x"), 31.75F);
}

// Scales are normal numbers: 127 · the least of these.
TEST_F(RefittedRanges, haveNoScalesThatAreSubnormal) {
    for (char const* const tensor : {"x", "y"}) EXPECT_TRUE(refitter->setDynamicRange(tensor, -1e-44F, 1e-44F));
    EXPECT_TRUE(refitter->refitCudaEngine()) << r.messages.lastError();
    std::unique_ptr<IRefitter> const other(createInferRefitter(*r.engine, r.messages));
    EXPECT_EQ(other->getDynamicRangeMax("x"), 127 * std::numeric_limits<float>::min());
}

TEST_F(RefittedRanges, areRefusedWhereTheyDifferAndIntegersAreMoved) {
    EXPECT_EQ(maxima(), (Floats{1, -3})); // of integers
    EXPECT_TRUE(refitter->setDynamicRange("x", -31.75F, 31.75F));
    EXPECT_FALSE(refitter->refitCudaEngine());
    EXPECT_NE(r.messages.lastError().find("pool (Pooling): "), std::string::npos) << r.messages.lastError();
    EXPECT_EQ(maxima(), (Floats{1, -3}));
    EXPECT_TRUE(refitter->setDynamicRange("y", -31.75F, 31.75F));
    EXPECT_TRUE(refitter->refitCudaEngine()) << r.messages.lastError();
    EXPECT_EQ(maxima(), (Floats{1.25F, -2.75F})); // of quarters
}

} // namespace
} // namespace tenon
