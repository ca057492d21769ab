// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What setters say together does not depend on the order in which they are called.

#include "support/api.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::dims;
using test::extents;
using test::Running;
using test::weights;

using Extents = std::vector<int64_t>;
using Floats = std::vector<float>;
using Halves = std::vector<uint16_t>;
using Bytes = std::vector<int8_t>;

constexpr TensorFormats maskOf(TensorFormat format) { return 1U << static_cast<uint32_t>(format); }

/// Calls `body` with the setters' numbers in every order.
void inEveryOrder(size_t setters, std::function<void(std::vector<size_t> const&)> const& body) {
    std::vector<size_t> order(setters);
    std::iota(order.begin(), order.end(), 0);
    do {
        SCOPED_TRACE(testing::PrintToString(order));
        body(order);
        if (testing::Test::HasFailure()) return; // one order is sufficient
    } while (std::ranges::next_permutation(order).found);
}

using Setters = std::vector<std::function<void()>>;

/// y = relu x [1,8,1,2]
struct Relu : Defining {
    ILayer* layer = network->addActivation(input("x", {1, 8, 1, 2}), ActivationType::kRELU);
    ITensor* y = layer->getOutput(0);
    explicit Relu(std::vector<BuilderFlag> const& flags = {}) {
        network->markOutput(*y);
        for (BuilderFlag const flag : flags) config->setFlag(flag);
    }
};

TEST(Setters, ofAnOutputWorkInEveryOrder) {
    inEveryOrder(5, [](std::vector<size_t> const& order) {
        Relu d({BuilderFlag::kFP16});
        Setters const setters{
            [&] { d.y->setType(DataType::kHALF); },
            [&] { d.y->setAllowedFormats(maskOf(TensorFormat::kHWC8)); },
            [&] { d.y->setName("y"); },
            [&] { d.network->markDebug(*d.y); },
            [&] { d.layer->setName("relu"); },
        };
        for (size_t const number : order) setters[number]();
        EXPECT_EQ(d.y->getType(), DataType::kHALF);
        EXPECT_EQ(d.y->getAllowedFormats(), maskOf(TensorFormat::kHWC8));
        EXPECT_EQ(d.layer->getOutput(0), d.y);
        EXPECT_EQ(d.network->getOutput(0), d.y);
        EXPECT_TRUE(d.network->isDebugTensor(*d.y));
        Running r(*d.build());
        EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kHALF);
        EXPECT_EQ(r.engine->getTensorFormat("y"), TensorFormat::kHWC8);
        EXPECT_TRUE(r.engine->isDebugTensor("y"));
        EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    });
}

TEST(Setters, ofAnOutputsTypeGiveABufferOfThatType) {
    for (bool const formatsFirst : {false, true}) {
        Relu d;
        if (formatsFirst) d.y->setAllowedFormats(maskOf(TensorFormat::kLINEAR));
        d.y->setType(DataType::kHALF);
        if (!formatsFirst) d.y->setAllowedFormats(maskOf(TensorFormat::kLINEAR));
        d.y->setName("y");
        Running r(*d.build());
        Floats x(16, 1);
        Halves y(32, 0xffff);
        r.context->setTensorAddress("x", x.data());
        r.context->setTensorAddress("y", y.data());
        r.run();
        Halves expected(32, 0xffff);
        std::fill_n(expected.begin(), 16, uint16_t{0x3c00}); // 1 as a half
        EXPECT_EQ(y, expected);
    }
}

TEST(Setters, ofAnOutputMarkedAnewKeepWhatWasSaid) {
    Relu d;
    d.y->setAllowedFormats(maskOf(TensorFormat::kHWC8));
    d.y->setType(DataType::kHALF);
    d.network->markDebug(*d.y);
    d.network->unmarkOutput(*d.y);
    d.network->markOutput(*d.y);
    d.y->setName("y");
    EXPECT_TRUE(d.network->unmarkDebug(*d.y));
    Running r(*d.build());
    EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kHALF);
    EXPECT_EQ(r.engine->getTensorFormat("y"), TensorFormat::kHWC8);
    EXPECT_FALSE(r.engine->isDebugTensor("y"));
}

/// An output with a range, and its type: value = 0.5 q.
TEST(Setters, ofAnOutputsRangeWorkInEveryOrder) {
    inEveryOrder(3, [](std::vector<size_t> const& order) {
        Relu d({BuilderFlag::kINT8});
        Setters const setters{
            [&] { d.y->setType(DataType::kINT8); },
            [&] { d.y->setDynamicRange(-63.5F, 63.5F); },
            [&] { d.y->setAllowedFormats(maskOf(TensorFormat::kLINEAR)); },
        };
        for (size_t const number : order) setters[number]();
        d.y->setName("y");
        Running r(*d.build());
        EXPECT_EQ(r.engine->getTensorDataType("y"), DataType::kINT8);
        Floats x(16, 3);
        Bytes y(16);
        r.context->setTensorAddress("x", x.data());
        r.context->setTensorAddress("y", y.data());
        r.run();
        EXPECT_EQ(y, Bytes(16, 6));
    });
}

TEST(Setters, ofARangeReachWhatTheLayerMakesInEveryOrder) {
    for (bool const rangeFirst : {false, true}) {
        Relu d({BuilderFlag::kINT8, BuilderFlag::kFP16});
        if (rangeFirst) d.y->setDynamicRange(-63.5F, 63.5F);
        d.layer->setOutputType(0, DataType::kHALF);
        if (!rangeFirst) d.y->setDynamicRange(-63.5F, 63.5F);
        d.layer->resetOutputType(0);
        EXPECT_EQ(d.y->getDynamicRangeMax(), 63.5F);
        d.y->setType(DataType::kINT8); // which needs it
        d.y->setName("y");
        EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kINT8);
    }
}

TEST(Setters, ofAnInputWorkInEveryOrder) {
    for (DataType const addedAs : {DataType::kFLOAT, DataType::kINT8}) {
        inEveryOrder(5, [&](std::vector<size_t> const& order) {
            Defining d;
            d.config->setFlag(BuilderFlag::kINT8);
            ITensor& x = d.input("in", {1, 2}, addedAs);
            d.output(d.network->addUnary(x, UnaryOperation::kNEG)->getOutput(0));
            Setters const setters{
                [&] { x.setType(DataType::kINT8); },
                [&] { x.setDynamicRange(-63.5F, 63.5F); },
                [&] { x.setAllowedFormats(maskOf(TensorFormat::kLINEAR)); },
                [&] { x.setName("x"); },
                [&] {
                    x.setDimensions(dims({1, 4}));
                },
            };
            for (size_t const number : order) setters[number]();
            EXPECT_EQ(x.getType(), DataType::kINT8);
            Running r(*d.build());
            EXPECT_EQ(r.engine->getTensorDataType("x"), DataType::kINT8);
            Bytes q{1, -2, 3, 127};
            Floats y(4);
            r.context->setTensorAddress("x", q.data());
            r.context->setTensorAddress("y", y.data());
            r.run();
            EXPECT_EQ(y, (Floats{-0.5F, 1, -1.5F, -63.5F}));
        });
    }
}

TEST(Setters, thatAreTakenBackLeaveNothingBehind) {
    Defining d;
    ITensor& x = d.input("x", {1, 4}, DataType::kINT8);
    ITensor const& y = *d.network->addIdentity(x)->getOutput(0);
    x.setDynamicRange(-63.5F, 63.5F);
    EXPECT_EQ(y.getType(), DataType::kFLOAT);
    x.resetDynamicRange();
    EXPECT_EQ(x.getType(), DataType::kINT8);
    EXPECT_EQ(y.getType(), DataType::kINT8);
    x.setType(DataType::kINT32);
    EXPECT_EQ(y.getType(), DataType::kINT32);
    x.setType(DataType::kINT8);
    x.setDynamicRange(-1, 1);
    EXPECT_EQ(y.getType(), DataType::kFLOAT);
}

// The names of two inputs are exchanged: they are two extents.
TEST(Setters, ofNamesDoNotTieExtentsTogether) {
    Defining d;
    ITensor& a = d.input("x", {-1});
    a.setName("other");
    ITensor& b = d.input("x", {-1});
    ITensor& sizeOfA = *d.network->addShape(a)->getOutput(0);
    ITensor& sizeOfB = *d.network->addShape(b)->getOutput(0);
    d.output(d.network->addElementWise(sizeOfA, sizeOfB, ElementWiseOperation::kSUB)->getOutput(0));
    IOptimizationProfile* profile = d.builder->createOptimizationProfile();
    for (char const* input : {"x", "other"}) {
        profile->setDimensions(input, OptProfileSelector::kMIN, dims({1}));
        profile->setDimensions(input, OptProfileSelector::kOPT, dims({4}));
        profile->setDimensions(input, OptProfileSelector::kMAX, dims({8}));
    }
    d.config->addOptimizationProfile(profile);
    Running r(*d.build());
    Floats values(8);
    std::vector<int64_t> y(1, -1);
    r.context->setInputShape("other", dims({7}));
    r.context->setInputShape("x", dims({2}));
    r.context->setTensorAddress("other", values.data());
    r.context->setTensorAddress("x", values.data());
    r.context->setTensorAddress("y", y.data());
    r.run();
    EXPECT_EQ(y[0], 5);
}

TEST(Setters, ofTypesInAStronglyTypedNetworkKnowWhatTheLayerMakes) {
    Defining d;
    d.network.reset(
        d.builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
    ITensor& x = d.input("x", {2, 4}, DataType::kHALF);
    ITensor* y = d.network->addSlice(x, dims({0, 0}), dims({2, 2}), dims({1, 1}))->getOutput(0);
    d.network->markOutput(*y);
    y->setAllowedFormats(maskOf(TensorFormat::kLINEAR));
    y->setType(DataType::kHALF);
    EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    y->setName("y");
    EXPECT_EQ(Running(*d.build()).engine->getTensorDataType("y"), DataType::kHALF);
    y->setType(DataType::kFLOAT);
    EXPECT_NE(d.messages.lastError().find("strongly typed"), std::string::npos);
    EXPECT_EQ(y->getType(), DataType::kHALF);
}

// int8 of integers is a conversion, of fractions it is not.
TEST(Setters, ofTypesGoWithWhatTheLayerMakesInTheEnd) {
    Defining d;
    ICastLayer* layer = d.network->addCast(d.input("x", {4}), DataType::kFLOAT);
    ITensor* y = layer->getOutput(0);
    d.network->markOutput(*y);
    layer->setOutputType(0, DataType::kINT8);
    layer->setToType(DataType::kINT32);
    y->setName("y");
    Running r(*d.build());
    ASSERT_EQ(r.engine->getTensorDataType("y"), DataType::kINT8);
    Floats x{1.75F, -2.25F, 100, 0};
    Bytes found(4);
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", found.data());
    r.run();
    EXPECT_EQ(found, (Bytes{1, -2, 100, 0}));
}

TEST(Setters, ofTypesDoNotKeepALayerFromBeingRemoved) {
    Relu d;
    ILayer* spare = d.network->addUnary(*d.network->getInput(0), UnaryOperation::kNEG);
    spare->setOutputType(0, DataType::kHALF);
    EXPECT_EQ(d.network->getNbLayers(), 2);
    d.network->removeTensor(*spare->getOutput(0));
    EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    EXPECT_EQ(d.network->getNbLayers(), 1);
    EXPECT_EQ(d.network->getLayer(0), d.layer);
    d.y->setName("y");
    Running(*d.build());
}

// ---- layers

TEST(Setters, ofAConstantWorkInEveryOrder) {
    Floats const before{1, 2};
    Floats const values{1, 2, 3, 4, 5, 6};
    for (bool const dimensionsFirst : {false, true}) {
        Defining d;
        IConstantLayer* layer = d.network->addConstant(dims({2}), weights(before));
        if (dimensionsFirst) layer->setDimensions(dims({2, 3}));
        layer->setWeights(weights(values));
        if (!dimensionsFirst) layer->setDimensions(dims({2, 3}));
        EXPECT_EQ(extents(layer->getOutput(0)->getDimensions()), (Extents{2, 3}));
        EXPECT_EQ(layer->getWeights().values, values.data());
        EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
        layer->setDimensions(dims({5}));
        EXPECT_EQ(layer->getOutput(0)->getDimensions().nbDims, -1);
        EXPECT_NE(d.messages.lastError().find("weights have 6 values; expected 5 for shape [5]"), std::string::npos);
    }
}

TEST(Setters, ofAConvolutionWorkInEveryOrder) {
    Floats const one(2 * 2 * 3 * 3, 1);
    Floats const other(3 * 1 * 1 * 1, 2);
    Floats const bias{10, 20, 30};
    inEveryOrder(5, [&](std::vector<size_t> const& order) {
        Defining d;
        ITensor& x = d.input("x", {1, 3, 1, 2});
        IConvolutionLayer* layer = d.network->addConvolutionNd(x, 2, DimsHW{3, 3}, weights(one), {});
        Setters const setters{
            [&] { layer->setNbOutputMaps(3); },
            [&] {
                layer->setKernelSizeNd(DimsHW{1, 1});
            },
            [&] { layer->setNbGroups(3); },
            [&] { layer->setKernelWeights(weights(other)); },
            [&] { layer->setBiasWeights(weights(bias)); },
        };
        for (size_t const number : order) setters[number]();
        d.output(layer->getOutput(0));
        Running r(*d.build());
        EXPECT_EQ(r.run({1, 2, 3, 4, 5, 6}, 6), (Floats{12, 14, 26, 28, 40, 42}));
        EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    });
}

TEST(Setters, ofAScaleWorkInEveryOrder) {
    Floats const channels{3, 3};
    Floats const shift{10, 20, 30, 40};
    Floats const factor{2, 3, 4, 5};
    inEveryOrder(3, [&](std::vector<size_t> const& order) {
        Defining d;
        ITensor& x = d.input("x", {1, 2, 1, 2});
        IScaleLayer* layer = d.network->addScale(x, ScaleMode::kCHANNEL, weights(channels), weights(channels), {});
        Setters const setters{
            [&] { layer->setMode(ScaleMode::kELEMENTWISE); },
            [&] { layer->setShift(weights(shift)); },
            [&] { layer->setScale(weights(factor)); },
        };
        for (size_t const number : order) setters[number]();
        d.output(layer->getOutput(0));
        Running r(*d.build());
        EXPECT_EQ(r.run({1, 2, 3, 4}, 4), (Floats{12, 26, 42, 60}));
        EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    });
}

TEST(Setters, ofAShuffleWorkInEveryOrder) {
    inEveryOrder(3, [](std::vector<size_t> const& order) {
        Defining d;
        IShuffleLayer* layer = d.network->addShuffle(d.input("x", {1, 2, 3}));
        Setters const setters{
            [&] {
                layer->setFirstTranspose(Permutation{{0, 2, 1}});
            },
            [&] {
                layer->setReshapeDimensions(dims({2, 3}));
            },
            [&] {
                layer->setSecondTranspose(Permutation{{1, 0}});
            },
        };
        for (size_t const number : order) setters[number]();
        EXPECT_EQ(layer->getSecondTranspose().order[0], 1);
        d.output(layer->getOutput(0));
        // x^T = 1 4 2 5 3 6, as [2,3], transposed
        EXPECT_EQ(Running(*d.build()).run({1, 2, 3, 4, 5, 6}, 6), (Floats{1, 5, 4, 3, 2, 6}));
        EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
    });
}

} // namespace
} // namespace tenon
