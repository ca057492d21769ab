// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Extents that the network leaves open and a profile fixes.

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;

/// y = relu x [-1,3]
struct OpenRows : Defining {
    OpenRows() { output(network->addActivation(input("x", {-1, 3}), ActivationType::kRELU)->getOutput(0)); }
    void rows(int64_t min, int64_t max) { range("x", {min, 3}, {max, 3}, {max, 3}); }
};

TEST(FixedExtents, areWhatTheEngineReportsAndNeedNotBeSet) {
    OpenRows d;
    d.rows(2, 2);
    EXPECT_EQ(extents(d.network->getInput(0)->getDimensions()), (Extents{-1, 3}));
    Running r(*d.build());
    EXPECT_EQ(extents(r.engine->getTensorShape("x")), (Extents{2, 3}));
    EXPECT_EQ(extents(r.engine->getTensorShape("y")), (Extents{2, 3}));
    EXPECT_EQ(extents(r.engine->getProfileShape("x", 0, OptProfileSelector::kMIN)), (Extents{2, 3}));
    EXPECT_EQ(extents(r.context->getTensorShape("x")), (Extents{2, 3}));
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{2, 3}));
    EXPECT_TRUE(r.context->allInputDimensionsSpecified());
    EXPECT_EQ(r.context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(r.run({-1, 2, -3, 4, -5, 6}, 6), (Floats{0, 2, 0, 4, 0, 6}));
    EXPECT_TRUE(r.context->setInputShape("x", Dims2{2, 3})); // as applications do nevertheless
    EXPECT_FALSE(r.context->setInputShape("x", Dims2{5, 3}));
    EXPECT_EQ(r.messages.lastError(), "setInputShape: input x has shape [5,3]; expected [2,3]");
    EXPECT_EQ(r.run({-1, 2, -3, 4, -5, 6}, 6), (Floats{0, 2, 0, 4, 0, 6}));
}

TEST(FixedExtents, ofSeveralProfilesAreThoseOfTheChosenOne) {
    OpenRows d;
    d.rows(2, 2);
    d.rows(1, 1);
    d.rows(1, 4);
    Running r(*d.build());
    EXPECT_EQ(extents(r.engine->getTensorShape("x")), (Extents{-1, 3}));
    EXPECT_EQ(extents(r.engine->getTensorShape("y")), (Extents{-1, 3}));
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{2, 3}));
    EXPECT_EQ(r.run({-1, 2, -3, 4, -5, 6}, 6), (Floats{0, 2, 0, 4, 0, 6}));
    ASSERT_TRUE(r.context->setOptimizationProfileAsync(1, nullptr));
    EXPECT_EQ(extents(r.context->getTensorShape("x")), (Extents{1, 3}));
    EXPECT_EQ(r.run({-1, 2, -3}, 3), (Floats{0, 2, 0}));
    ASSERT_TRUE(r.context->setOptimizationProfileAsync(2, nullptr));
    EXPECT_EQ(extents(r.context->getTensorShape("x")), (Extents{-1, 3}));
    EXPECT_FALSE(r.context->allInputDimensionsSpecified());
    EXPECT_FALSE(r.context->enqueueV3(nullptr));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: input x has shape [x.0,3]; set its shape before running");
}

TEST(FixedExtents, thatAllProfilesShareAreReported) {
    Defining d;
    d.output(d.network->addActivation(d.input("x", {-1, -1}), ActivationType::kRELU)->getOutput(0));
    d.range("x", {1, 3}, {2, 3}, {4, 3});
    d.range("x", {5, 3}, {5, 3}, {5, 3});
    Running r(*d.build());
    EXPECT_EQ(extents(r.engine->getTensorShape("x")), (Extents{-1, 3}));
    EXPECT_EQ(extents(r.engine->getTensorShape("y")), (Extents{-1, 3}));
}

// y [2·rows of x]
TEST(FixedExtents, fixWhatFollowsFromThem) {
    Defining d;
    ITensor* x = &d.input("x", {-1, 3});
    ITensor* both[]{x, x};
    d.output(d.network->addConcatenation(both, 2)->getOutput(0));
    for (int64_t const rows : {2, 3}) d.range("x", {rows, 3}, {rows, 3}, {rows, 3});
    Running r(*d.build());
    EXPECT_EQ(extents(r.engine->getTensorShape("y")), (Extents{-1, 3}));
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{4, 3}));
    ASSERT_TRUE(r.context->setOptimizationProfileAsync(1, nullptr));
    EXPECT_EQ(extents(r.context->getTensorShape("y")), (Extents{6, 3}));
}

// One name for two extents: if the profile fixes one of them only, the other decides.
TEST(FixedExtents, ofANameAreFixedWhereTheyAllAre) {
    for (int64_t const most : {2, 4}) {
        Defining d;
        ITensor& x = d.input("x", {-1});
        ITensor& z = d.input("z", {-1});
        x.setDimensionName(0, "rows");
        z.setDimensionName(0, "rows");
        d.output(d.network->addActivation(x, ActivationType::kRELU)->getOutput(0));
        d.output(d.network->addActivation(z, ActivationType::kRELU)->getOutput(0), "w");
        IOptimizationProfile* profile = d.builder->createOptimizationProfile();
        for (auto select : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
            profile->setDimensions("x", select, dims({2}));
            profile->setDimensions("z", select, dims({select == OptProfileSelector::kMAX ? most : 2}));
        }
        d.config->addOptimizationProfile(profile);
        Running r(*d.build());
        EXPECT_EQ(extents(r.engine->getTensorShape("y")), (Extents{most == 2 ? 2 : -1}));
        EXPECT_EQ(r.context->allInputDimensionsSpecified(), most == 2);
        EXPECT_TRUE(r.context->setInputShape("z", dims({2})));
        Floats z2{-10, 20};
        Floats w(2);
        r.context->setTensorAddress("z", z2.data());
        r.context->setTensorAddress("w", w.data());
        EXPECT_EQ(r.run({-1, 2}, 2), (Floats{0, 2}));
        EXPECT_EQ(w, (Floats{0, 20}));
    }
}

} // namespace
} // namespace tenon
