// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/api.h"

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

using Floats = std::vector<float>;
using Halves = std::vector<uint16_t>;

Weights weightsOf(Halves const& values) {
    return {DataType::kHALF, values.data(), static_cast<int64_t>(values.size())};
}

Halves const kOneToFour{0x3c00, 0x4000, 0x4200, 0x4400};

TEST(MixedTypes, meetInALayer) {
    Defining d;
    ITensor& x = d.input("x", {4});
    ITensor& halves = *d.network->addConstant(test::dims({4}), weightsOf(kOneToFour))->getOutput(0);
    ILayer* const sum = d.network->addElementWise(x, halves, ElementWiseOperation::kSUM);
    ASSERT_NE(sum, nullptr) << d.messages.lastError();
    EXPECT_EQ(sum->getInput(1), &halves);
    EXPECT_EQ(halves.getType(), DataType::kHALF);
    EXPECT_EQ(sum->getOutputType(0), DataType::kFLOAT);
    EXPECT_EQ(d.network->getNbLayers(), 2);
    d.output(sum->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({70000, 0, 0, 0}, 4), (Floats{70001, 2, 3, 4}));
}

TEST(MixedTypes, meetAsAnInputAndWeights) {
    Defining d;
    Floats const factors{2, 0, 1, -1};
    IConvolutionLayer* const layer = d.network->addConvolutionNd(d.input("x", {1, 1, 2, 2}, DataType::kHALF), 1,
                                                                 Dims2(2, 2), test::weights(factors), {});
    d.output(layer->getOutput(0));
    EXPECT_EQ(layer->getNbInputs(), 1);
    EXPECT_EQ(layer->getInput(0), d.network->getInput(0));
    EXPECT_EQ(layer->getKernelWeights().values, factors.data());
    Running r(*d.build());
    Halves x = kOneToFour;
    float y = 0;
    r.context->setTensorAddress("x", x.data());
    r.context->setTensorAddress("y", &y);
    r.run();
    EXPECT_EQ(y, 2 * 1 + 3 - 4);
}

TEST(MixedTypes, ofWeightsAreWidened) {
    Defining d;
    IConvolutionLayer* const layer =
        d.network->addConvolutionNd(d.input("x", {1, 1, 2, 2}), 1, Dims2(2, 2), weightsOf(kOneToFour), {});
    EXPECT_EQ(layer->getKernelWeights().type, DataType::kHALF);
    EXPECT_EQ(test::extents(layer->getOutput(0)->getDimensions()), (std::vector<int64_t>{1, 1, 1, 1}));
    EXPECT_EQ(layer->getKernelWeights().type, DataType::kFLOAT);
    EXPECT_EQ(layer->getNbInputs(), 1);
    d.output(layer->getOutput(0));
    EXPECT_EQ(Running(*d.build()).run({10000, 20000, 30000, 40000}, 1), (Floats{300000}));
    EXPECT_TRUE(d.messages.errors.empty()) << d.messages.lastError();
}

TEST(MixedTypes, areLeftWhereAllAreNarrow) {
    Defining d;
    ITensor& x = d.input("x", {4}, DataType::kHALF);
    ITensor& halves = *d.network->addConstant(test::dims({4}), weightsOf(kOneToFour))->getOutput(0);
    EXPECT_EQ(d.network->addElementWise(x, halves, ElementWiseOperation::kSUM)->getOutputType(0), DataType::kHALF);
}

TEST(MixedTypes, areAnErrorInAStronglyTypedNetwork) {
    Defining d;
    d.network.reset(
        d.builder->createNetworkV2(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
    ITensor& x = d.input("x", {4});
    ITensor& halves = *d.network->addConstant(test::dims({4}), weightsOf(kOneToFour))->getOutput(0);
    EXPECT_EQ(d.network->addElementWise(x, halves, ElementWiseOperation::kSUM), nullptr);
    EXPECT_EQ(d.messages.lastError(), "addElementWise: Elementwise_1 (Elementwise): input 0 is float32 and input 1 is "
                                      "float16; expected one type (add a cast)");
}

TEST(MixedTypes, doNotHideWhatElseDoesNotFit) {
    Defining d;
    ITensor& x = d.input("x", {3});
    ITensor& halves = *d.network->addConstant(test::dims({4}), weightsOf(kOneToFour))->getOutput(0);
    EXPECT_EQ(d.network->addElementWise(x, halves, ElementWiseOperation::kSUM), nullptr);
    EXPECT_NE(d.messages.lastError().find("[3]"), std::string::npos) << d.messages.lastError();
}

} // namespace
} // namespace tenon
