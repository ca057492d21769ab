// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// As programs of level 11 call it.

#undef TENON_LEVEL
#define TENON_LEVEL 11
#include "support/api.h"

#include <cmath>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::Running;

/// One token x [1,1,1], two experts of one weight each, both chosen.
struct Experts {
    Defining d;
    std::vector<int32_t> const chosen{0, 1};
    std::vector<float> const scores{1, 0.5F};
    std::vector<float> const gates{1, 2};
    std::vector<float> const ups{3, 4};
    std::vector<float> const downs{1, 10};
    std::vector<float> const biases{1, 0};
    std::vector<float> const none{0, 0};
    IMoELayer* layer;

    Experts() {
        ITensor& which = *d.network->addConstant(dims({1, 1, 2}), {DataType::kINT32, chosen.data(), 2})->getOutput(0);
        layer = d.network->addMoE(d.input("x", {1, 1, 1}), which, constant({1, 1, 2}, scores));
        layer->setGatedWeights(constant({2, 1, 1}, gates), constant({2, 1, 1}, ups), constant({2, 1, 1}, downs),
                               MoEActType::kNONE);
    }
    ITensor& constant(std::vector<int64_t> const& extents, std::vector<float> const& values) {
        return *d.network->addConstant(dims(extents), test::weights(values))->getOutput(0);
    }
    float run(float x) {
        d.output(layer->getOutput(0));
        return Running(*d.build()).run({x}, 1).at(0);
    }
    std::string error() const { return d.messages.lastError().substr(d.messages.lastError().find("): ") + 3); }
};

TEST(MoELayer, sumsWhatTheChosenExpertsMake) { // x · 3 x · 1 + 0.5 · 2 x · 4 x · 10
    Experts e;
    EXPECT_EQ(e.layer->getType(), LayerType::kMOE);
    EXPECT_EQ(e.layer->getActivationType(), MoEActType::kNONE);
    EXPECT_EQ(e.run(2), 12.F + 160.F);
}

TEST(MoELayer,
     activatesAndAddsBiases) { // with g = x + 1: g / (1 + e^-2g) · (3 x + 1) + 0.5 · 2 x / (1 + e^-4x) · (4 x + 1) · 10
    Experts e;
    e.layer->setGatedBiases(e.constant({2, 1}, e.biases), e.constant({2, 1}, e.none), e.constant({2, 1}, e.none));
    e.layer->setActivationType(MoEActType::kSILU);
    e.layer->setSwigluParams(100, 2, 1);
    EXPECT_EQ(e.layer->getActivationType(), MoEActType::kSILU);
    EXPECT_EQ(e.layer->getSwigluParamLimit(), 100.F);
    EXPECT_EQ(e.layer->getSwigluParamAlpha(), 2.F);
    EXPECT_EQ(e.layer->getSwigluParamBeta(), 1.F);
    float const first = 2 / (1 + std::exp(-4.F)) * 4;
    float const second = 2 / (1 + std::exp(-4.F)) * 5 * 10;
    EXPECT_NEAR(e.run(1), first + 0.5F * second, 1e-4F);
}

TEST(MoELayer, keepsItsParameters) {
    Experts e;
    EXPECT_EQ(e.layer->getSwigluParamLimit(), INFINITY);
    e.layer->setSwigluParamLimit(7);
    e.layer->setSwigluParamAlpha(1.5F);
    e.layer->setSwigluParamBeta(0.25F);
    EXPECT_EQ(e.layer->getSwigluParamLimit(), 7.F);
    EXPECT_EQ(e.layer->getSwigluParamAlpha(), 1.5F);
    EXPECT_EQ(e.layer->getSwigluParamBeta(), 0.25F);
    e.layer->setSwigluParamLimit(INFINITY);
    EXPECT_EQ(e.layer->getSwigluParamLimit(), INFINITY);
    EXPECT_EQ(e.layer->getQuantizationToType(), DataType::kFLOAT);
    EXPECT_EQ(e.layer->getDynQOutputScaleType(), DataType::kFLOAT);
    EXPECT_EQ(e.layer->getQuantizationBlockShape().nbDims, -1);
}

/// The error of a build that fails.
std::string buildError(Experts& e) {
    e.d.output(e.layer->getOutput(0));
    EXPECT_EQ(e.d.builder->buildSerializedNetwork(*e.d.network, *e.d.config), nullptr);
    return e.error();
}

// x = 3: 9 · 3 = 27 and 18 · 4 = 72, by 2: 13.5 is between 13 and 14, 36 is there
TEST(MoELayer, roundsWhatGoesDownByAScale) {
    Experts e;
    e.layer->setQuantizationStatic(e.d.floats({}, {2}), DataType::kFP8);
    EXPECT_EQ(e.layer->getQuantizationToType(), DataType::kFP8);
    EXPECT_EQ(e.layer->getQuantizationBlockShape().nbDims, -1);
    EXPECT_EQ(e.layer->getDynQOutputScaleType(), DataType::kFLOAT);
    EXPECT_EQ(e.run(3), 28 + 0.5F * 72 * 10);
}

// 27 / 6 is 4.5 and 72 / 6 is 12, which float8 has, by 0.25 too: 6 · 4.5 and 6 · 12
// 12 / 6 / 0.25 = 8 is there, 32 / 6 / 0.25 = 21.3 is 22: 6 · 5.5
TEST(MoELayer, roundsWhatGoesDownInBlocks) {
    Experts e;
    e.layer->setQuantizationDynamicDblQ(e.d.floats({1}, {0.25F}), DataType::kFP4, dims({1, 1, 1, 16}), DataType::kFP8);
    EXPECT_EQ(e.layer->getQuantizationToType(), DataType::kFP4);
    EXPECT_EQ(test::extents(e.layer->getQuantizationBlockShape()), (std::vector<int64_t>{1, 1, 1, 16}));
    EXPECT_EQ(e.layer->getDynQOutputScaleType(), DataType::kFP8);
    e.d.output(e.layer->getOutput(0));
    auto const file = e.d.build();
    EXPECT_EQ(Running(*file).run({3}, 1).at(0), 27 + 0.5F * 72 * 10);
    EXPECT_EQ(Running(*file).run({2}, 1).at(0), 12 + 0.5F * 33 * 10);
}

TEST(MoELayer, takesTheLastThatWasSaidOfItsRounding) { // see roundsWhatGoesDownByAScale
    Experts e;
    ITensor& two = e.d.floats({}, {2});
    e.layer->setQuantizationDynamicDblQ(e.d.floats({}, {1}), DataType::kFP4, dims({1, 1, 1, 16}), DataType::kFP8);
    e.layer->setQuantizationBlockShape(dims({1, 1, 1, -1}));
    e.layer->setDynQOutputScaleType(DataType::kE8M0);
    e.layer->setQuantizationToType(DataType::kFP8);
    EXPECT_EQ(test::extents(e.layer->getQuantizationBlockShape()), (std::vector<int64_t>{1, 1, 1, -1}));
    EXPECT_EQ(e.layer->getDynQOutputScaleType(), DataType::kE8M0);
    EXPECT_EQ(e.layer->getQuantizationToType(), DataType::kFP8);
    e.layer->setQuantizationStatic(two, DataType::kFP4);
    EXPECT_EQ(e.layer->getQuantizationBlockShape().nbDims, -1);
    EXPECT_EQ(e.layer->getDynQOutputScaleType(), DataType::kFLOAT);
    e.layer->setQuantizationToType(DataType::kFP8);
    EXPECT_EQ(e.run(3), 28 + 0.5F * 72 * 10);
}

TEST(MoELayer, isNotBuiltWhereSomethingOfItsRoundingIsMissing) {
    Experts scaleless;
    scaleless.layer->setQuantizationToType(DataType::kFP8);
    EXPECT_EQ(buildError(scaleless), "quantizes to float8, but the scale of the products is missing");
    Experts typeless;
    typeless.layer->setQuantizationBlockShape(dims({1, 1, 1, 16}));
    EXPECT_EQ(buildError(typeless), "has blocks, but the type to quantize to is missing; expected float8 or float4");
    Experts odd;
    odd.layer->setQuantizationDynamicDblQ(odd.d.floats({}, {1}), DataType::kFP4, dims({1, 16}), DataType::kFP8);
    EXPECT_EQ(buildError(odd),
              "quantizes in blocks of [1,16]; expected [1,1,1,n], n products along the last axis, 1 or "
              "more, or -1 for all");
}

TEST(MoELayer, takesOtherInputs) { // see sumsWhatTheChosenExpertsMake, with both scores 2
    Experts e;
    std::vector<float> const twos{2, 2};
    e.layer->setInput(2, e.constant({1, 1, 2}, twos));
    EXPECT_EQ(e.run(1), 2 * 3.F + 2 * 80.F);
}

TEST(MoELayer, refusesWhatItDoesNotCompute) {
    Experts e;
    ITensor& x = *e.layer->getInput(0);
    e.layer->setSwigluParamLimit(0);
    EXPECT_EQ(e.error(), "a limit of 0; expected a number above 0");
    e.layer->setSwigluParamAlpha(NAN);
    EXPECT_EQ(e.error(), "alpha is nan; expected a finite number");
    e.layer->setInput(3, x);
    EXPECT_EQ(e.error(), "there is no input 3; expected 0 to 2 (weights are given with setGatedWeights)");
    e.layer->setActivationType(static_cast<MoEActType>(2));
    EXPECT_EQ(e.error(), "activation 2 does not exist; the last one is 1");
    e.layer->setQuantizationStatic(x, DataType::kINT8);
    EXPECT_EQ(e.error(), "quantizes to int8; expected float8 or float4");
    e.layer->setQuantizationToType(DataType::kFLOAT);
    EXPECT_EQ(e.error(), "quantizes to float32; expected float8 or float4");
    e.layer->setDynQOutputScaleType(DataType::kHALF);
    EXPECT_EQ(e.error(), "has scales of type float16; expected float8 or e8m0");
    e.layer->setQuantizationDynamicDblQ(x, DataType::kFP4, dims({1, 1, 1, 16}), DataType::kFLOAT);
    EXPECT_EQ(e.error(), "has scales of type float32; expected float8 or e8m0");
    EXPECT_EQ(e.layer->getQuantizationToType(), DataType::kFLOAT);
    EXPECT_EQ(e.run(2), 12.F + 160.F);
}

TEST(MoELayer, needsWeights) {
    Defining d;
    std::vector<int32_t> const chosen{0};
    ITensor& which = *d.network->addConstant(dims({1, 1, 1}), {DataType::kINT32, chosen.data(), 1})->getOutput(0);
    ITensor& x = d.input("x", {1, 1, 1});
    d.output(d.network->addMoE(x, which, x)->getOutput(0));
    EXPECT_EQ(d.builder->buildSerializedNetwork(*d.network, *d.config), nullptr);
    EXPECT_NE(d.messages.lastError().find("(Moe): the gate weights are missing"), std::string::npos)
        << d.messages.lastError();
}

} // namespace
} // namespace tenon
