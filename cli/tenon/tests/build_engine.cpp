// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds the engines of the tests: build_engine MODEL ENGINE linear|hwc|asked [PLUGINS.so] [NAME=MIN,OPT,MAX;…]… One
// word NAME=… is one profile; its shapes are like 1x3x8x8. With hwc the inputs have that format; with asked, float16 is
// enabled, and the first computing layer has the precision float.

#include "../failure.h"

#include "NvInfer.h"
#include "NvOnnxParser.h"

#include <fstream>
#include <iostream>
#include <memory>

using namespace nvinfer1;
using tenon::cli::fail;

namespace {

class Log final : public ILogger {
    void log(Severity severity, char const* text) override {
        if (severity <= Severity::kWARNING) std::cerr << text << '\n';
    }
};

Dims dimsOf(std::string const& text) {
    Dims dims{};
    std::istringstream stream(text);
    for (std::string one; std::getline(stream, one, 'x');) dims.d[dims.nbDims++] = std::stol(one);
    return dims;
}

void addProfile(IBuilder& builder, IBuilderConfig& config, std::string const& word) {
    IOptimizationProfile* profile = builder.createOptimizationProfile();
    std::istringstream inputs(word);
    for (std::string input; std::getline(inputs, input, ';');) {
        std::string const name = input.substr(0, input.find('='));
        std::istringstream shapes(input.substr(name.size() + 1));
        for (auto which : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
            std::string shape;
            std::getline(shapes, shape, ',');
            if (!profile->setDimensions(name.c_str(), which, dimsOf(shape))) fail("no range ", input);
        }
    }
    if (config.addOptimizationProfile(profile) < 0) fail("no profile ", word);
}

void askForFloat(INetworkDefinition& network, IBuilderConfig& config) {
    config.setFlag(BuilderFlag::kFP16);
    config.setFlag(BuilderFlag::kOBEY_PRECISION_CONSTRAINTS);
    int32_t first = 0;
    while (network.getLayer(first)->getType() == LayerType::kCONSTANT) ++first;
    network.getLayer(first)->setPrecision(DataType::kFLOAT);
}

void build(std::vector<std::string> const& words) {
    Log log;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(log));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    for (size_t i = 3; i < words.size(); ++i) {
        if (words[i].find('=') != std::string::npos)
            addProfile(*builder, *config, words[i]);
        else if (!getPluginRegistry()->loadLibrary(words[i].c_str()))
            fail(words[i], " was not loaded");
    }
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, log));
    if (!parser->parseFromFile(words[0].c_str(), 0)) fail(words[0], " was not read");
    for (int32_t i = 0; words[2] == "hwc" && i < network->getNbInputs(); ++i)
        network->getInput(i)->setAllowedFormats(1U << static_cast<uint32_t>(TensorFormat::kHWC));
    if (words[2] == "asked") askForFloat(*network, *config);
    std::unique_ptr<IHostMemory> const engine(builder->buildSerializedNetwork(*network, *config));
    if (!engine) fail(words[0], " was not built");
    std::ofstream(words[1], std::ios::binary)
        .write(static_cast<char const*>(engine->data()), static_cast<std::streamsize>(engine->size()));
}

} // namespace

int main(int count, char** words) {
    try {
        build({words + 1, words + count});
        return 0;
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
