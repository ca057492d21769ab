// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Flags that change what a build does or tells, and not what the engine computes.

#include "support/api.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::Defining;
using test::Running;

TEST(BuildFlags, memoryIsToldBeforeEachStage) {
    Defining d;
    d.output(d.network->addSoftMax(d.input("x", {1, 3}))->getOutput(0));
    d.build();
    auto const isTold = [](std::string const& line) { return line.starts_with("memory "); };
    EXPECT_EQ(std::ranges::count_if(d.messages.infos, isTold), 0);
    d.config->setFlag(BuilderFlag::kMONITOR_MEMORY);
    d.build();
    std::vector<std::string> stages;
    std::regex const form("memory (.*): the process has (\\d+) MiB, at most (\\d+) MiB so far(; \\d+ MiB of the "
                          "device's \\d+ MiB are free)?");
    for (std::string const& line : d.messages.infos) {
        std::smatch parts;
        if (!std::regex_match(line, parts, form)) continue;
        stages.push_back(parts[1]);
        EXPECT_GT(std::stoi(parts[2]), 0);
        EXPECT_GE(std::stoi(parts[3]) + 1, std::stoi(parts[2])); // each is rounded down
    }
    EXPECT_EQ(stages, (std::vector<std::string>{"before Optimizing the network", "before Choosing kernels",
                                                "before Packing weights", "before Saving the engine",
                                                "at the end of the build"}));
    EXPECT_EQ(d.messages.warnings, std::vector<std::string>());
}

TensorFormats maskOf(TensorFormat format) { return 1U << static_cast<uint32_t>(format); }

/// y = softmax(x), x [1,8,2,2], for which no device has groups of 32 channels.
struct Softmax : Defining {
    ITensor& x = input("x", {1, 8, 2, 2});
    ISoftMaxLayer& softmax = *network->addSoftMax(x);
    Softmax() {
        output(softmax.getOutput(0));
        config->setFlag(BuilderFlag::kDIRECT_IO);
    }
    std::string failure() {
        std::unique_ptr<IHostMemory> const none(builder->buildSerializedNetwork(*network, *config));
        EXPECT_EQ(none, nullptr);
        return messages.lastError();
    }
};

TEST(DirectIo, holdsForTensorsWhoseFormatsWereSet) {
    Softmax d;
    d.build();
    for (ITensor* const tensor : {&d.x, d.softmax.getOutput(0)}) {
        tensor->setAllowedFormats(maskOf(TensorFormat::kCHW32));
        std::string const failure = d.failure();
        bool const isInput = tensor == &d.x;
        EXPECT_EQ(failure.find(std::string("buildSerializedNetwork: ") + tensor->getName() +
                               ": allowed are float32 nchw32c "),
                  0U)
            << failure;
        EXPECT_NE(failure.find(std::string("; the node that ") + (isInput ? "reads" : "writes") +
                               " it supports float32 linear "),
                  std::string::npos)
            << failure;
        EXPECT_TRUE(failure.ends_with("; allow one of these formats, or reformats (BuilderFlag::kDIRECT_IO)"));
        d.config->clearFlag(BuilderFlag::kDIRECT_IO);
        d.build();
        d.config->setFlag(BuilderFlag::kDIRECT_IO);
        tensor->setAllowedFormats(maskOf(TensorFormat::kCHW32) | maskOf(TensorFormat::kLINEAR));
        auto const file = d.build();
        EXPECT_EQ(Running(*file).engine->getTensorFormat(tensor->getName()), TensorFormat::kLINEAR);
        tensor->setAllowedFormats(maskOf(TensorFormat::kLINEAR));
    }
    EXPECT_EQ(Running(*d.build()).engine->getNbLayers(), 1);
}

TEST(StrictNans, areKeptByWhatIsZeroOrOneOfNumbers) { // as kSTRICT_NANS documents: 0 * x, x - x, x / x
    Defining d;
    d.config->setFlag(BuilderFlag::kSTRICT_NANS);
    ITensor& x = d.input("x", {1, 4});
    auto const add = [&](ITensor& a, ITensor& b, ElementWiseOperation op) -> ITensor& {
        return *d.network->addElementWise(a, b, op)->getOutput(0);
    };
    ITensor& zero = d.floats({1, 1}, {0});
    ITensor* parts[]{
        &add(zero, x, ElementWiseOperation::kPROD), &add(x, x, ElementWiseOperation::kSUB),
        &add(x, x, ElementWiseOperation::kDIV),
        &add(add(x, zero, ElementWiseOperation::kPROD), d.floats({1, 1}, {2}), ElementWiseOperation::kSUM)};
    d.output(d.network->addConcatenation(parts, 4)->getOutput(0));
    Running r(*d.build());
    float const nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    std::vector<float> const y = r.run({nan, infinity, 3, -infinity}, 16);
    for (size_t i = 0; i < y.size(); ++i) {
        bool const isOfANumber = i % 4 == 2;
        EXPECT_NE(std::isnan(y[i]), isOfANumber) << i << ": " << y[i];
    }
    EXPECT_EQ((std::vector<float>{y[2], y[6], y[10], y[14]}), (std::vector<float>{0, 0, 1, 2}));
    EXPECT_EQ(d.messages.warnings, std::vector<std::string>());
}

/// A convolution or a product of rows, each followed by an activation.
ITensor& convolved(Defining& d, ITensor& x) {
    static std::vector<float> const ones(16 * 2 * 9, 1);
    Weights const kernel{DataType::kFLOAT, ones.data(), static_cast<int64_t>(ones.size())};
    return *d.network->addConvolutionNd(x, 16, Dims2{3, 3}, kernel, Weights{})->getOutput(0);
}
ITensor& multiplied(Defining& d, ITensor& x) {
    IShuffleLayer* const rows = d.network->addShuffle(x);
    rows->setReshapeDimensions(Dims2{16, 8});
    ITensor& weights = d.floats({8, 4}, std::vector<float>(32, 1));
    return *d.network->addMatrixMultiply(*rows->getOutput(0), MatrixOperation::kNONE, weights, MatrixOperation::kNONE)
                ->getOutput(0);
}

/// The number of NaNs after the activation, of one pixel in the first of two maps of 8x8.
int64_t nansBehind(ITensor& (*before)(Defining&, ITensor&), ActivationType type, size_t yCount) {
    Defining d;
    d.config->setFlag(BuilderFlag::kSTRICT_NANS);
    IActivationLayer* const layer = d.network->addActivation(before(d, d.input("x", {1, 2, 8, 8})), type);
    layer->setAlpha(0.5F);
    layer->setBeta(1);
    d.output(layer->getOutput(0));
    std::vector<float> pixels(2 * 8 * 8, 1);
    pixels[3 * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
    return std::ranges::count_if(Running(*d.build()).run(pixels, yCount), [](float y) { return std::isnan(y); });
}

TEST(StrictNans, areKeptByActivationsBehindProducts) { // max(NaN, 0) and similar are NaN
    using enum ActivationType;
    for (ActivationType const type : {kRELU, kSIGMOID, kTANH, kLEAKY_RELU, kELU, kCLIP, kHARD_SIGMOID, kSELU}) {
        EXPECT_EQ(nansBehind(convolved, type, 16 * 6 * 6), 16 * 9) << static_cast<int>(type); // nine windows per map
        EXPECT_EQ(nansBehind(multiplied, type, 16 * 4), 4) << static_cast<int>(type);         // a row
    }
}

/// y [1,256] = x [1,512] W, of which each column has one number in each four rows.
struct SparseProduct : Defining {
    SparseProduct() {
        std::vector<float> w(512 * 256, 0);
        for (size_t column = 0; column < 256; ++column) {
            for (size_t row = column % 4; row < 512; row += 4) w[row * 256 + column] = 1;
        }
        ITensor& x = input("x", {1, 512});
        output(network->addMatrixMultiply(x, MatrixOperation::kNONE, floats({512, 256}, w), MatrixOperation::kNONE)
                   ->getOutput(0));
        config->setProfilingVerbosity(ProfilingVerbosity::kDETAILED);
    }

    /// Whether the engine skips zeros, according to the inspector. Its results are right either way.
    bool isLeftOut() {
        Running r(*build());
        std::vector<float> x(512);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        auto const y = r.run(x, 256);
        for (size_t column = 0; column < y.size(); ++column)
            EXPECT_EQ(y[column], static_cast<float>(128 * (column % 4) + 4 * 8128))
                << column; // 0 + 4 + 8 … is 4 * 8128
        std::unique_ptr<IEngineInspector> const inspector(r.engine->createEngineInspector());
        std::string_view const told = inspector->getEngineInformation(LayerInformationFormat::kONELINE);
        return told.find("sparse_matmul") != std::string_view::npos;
    }
};

TEST(SparseWeights, areMadeUseOfWhereTheyMayBe) {
    SparseProduct d;
    EXPECT_FALSE(d.isLeftOut());
    d.config->setFlag(BuilderFlag::kSPARSE_WEIGHTS);
    EXPECT_TRUE(d.isLeftOut());
    EXPECT_EQ(d.messages.warnings, std::vector<std::string>());
}

TEST(SparseWeights, areWithoutEffectBesideStrictNansAndRefits) {
    struct {
        BuilderFlag flag;
        char const* why;
    } const others[]{
        {BuilderFlag::kSTRICT_NANS, "with BuilderFlag::kSTRICT_NANS: that flag requires 0*x to be computed"},
        {BuilderFlag::kREFIT, "for an engine that can be refitted: new weights may have other zeros"}};
    for (auto const& other : others) {
        SparseProduct d;
        d.config->setFlag(BuilderFlag::kSPARSE_WEIGHTS);
        d.config->setFlag(other.flag);
        EXPECT_FALSE(d.isLeftOut());
        ASSERT_EQ(d.messages.warnings.size(), 1U);
        EXPECT_NE(d.messages.warnings[0].find(std::string("BuilderFlag::kSPARSE_WEIGHTS")), std::string::npos);
        EXPECT_NE(d.messages.warnings[0].find(other.why), std::string::npos) << d.messages.warnings[0];
    }
}

} // namespace
} // namespace tenon
