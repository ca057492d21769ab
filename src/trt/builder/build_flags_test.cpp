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

/// y = softmax(x), x [1,8,2,2], which no device computes in groups of 32 channels.
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
        EXPECT_NE(
            failure.find(std::string(", and what ") + (isInput ? "reads" : "writes") + " it takes float32 linear "),
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

} // namespace
} // namespace tenon
