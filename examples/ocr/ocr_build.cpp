// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Builds the engines of the text detector and the text recognizer, each with a custom layer at its end, and saves them.
#include "files.h"
#include "logger.h"
#include "preprocess.h"

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace {

using namespace nvinfer1;
using namespace ocr;
namespace fs = std::filesystem;

using CustomStep = std::function<void(INetworkDefinition&)>;

// The range of shapes of an engine, and the one that it is optimized for.
struct Shapes {
    Dims4 smallest, usual, largest;
};

void parse(nvonnxparser::IParser& parser, fs::path const& model) {
    if (parser.parseFromFile(model.c_str(), int32_t(ILogger::Severity::kWARNING))) return;
    std::string what = model.string() + ": cannot be parsed";
    for (int32_t i = 0; i < parser.getNbErrors(); ++i) what += std::string("\n  ") + parser.getError(i)->desc();
    throw std::runtime_error(what);
}

// Appends a DBPostProcess to the network's only output, the probability map.
void appendPostProcess(INetworkDefinition& network) {
    auto* const creator = static_cast<IPluginCreatorV3One*>(getPluginRegistry()->getCreator("DBPostProcess", "1", ""));
    if (creator == nullptr) throw std::runtime_error("the plugin library has no DBPostProcess, version 1");
    float const unclipRatio = 2.2F; // the recognizer reads best with a small margin around the text
    PluginField const field("unclip_ratio", &unclipRatio, PluginFieldType::kFLOAT32, 1);
    PluginFieldCollection const fields{1, &field};
    std::unique_ptr<IPluginV3> const plugin(creator->createPlugin("find_boxes", &fields, TensorRTPhase::kBUILD));
    if (plugin == nullptr) throw std::runtime_error("DBPostProcess refuses its fields");

    ITensor* const map = network.getOutput(0);
    network.unmarkOutput(*map);
    IPluginV3Layer* const layer = network.addPluginV3(&map, 1, nullptr, 0, *plugin);
    if (layer == nullptr) throw std::runtime_error("DBPostProcess does not support the detector's output");
    layer->setName("find_boxes");
    char const* const names[] = {"boxes", "scores", "count"};
    for (int32_t i = 0; i < layer->getNbOutputs(); ++i) {
        layer->getOutput(i)->setName(names[i]);
        network.markOutput(*layer->getOutput(i));
    }
}

std::unique_ptr<IHostMemory> buildPlan(IBuilder& builder, ILogger& logger, fs::path const& model, Shapes const& shapes,
                                       CustomStep const& customize) {
    std::unique_ptr<INetworkDefinition> const network(builder.createNetworkV2(0));
    std::unique_ptr<nvonnxparser::IParser> const parser(nvonnxparser::createParser(*network, logger));
    parse(*parser, model);
    customize(*network);

    char const* const input = network->getInput(0)->getName();
    IOptimizationProfile* const profile = builder.createOptimizationProfile();
    profile->setDimensions(input, OptProfileSelector::kMIN, shapes.smallest);
    profile->setDimensions(input, OptProfileSelector::kOPT, shapes.usual);
    profile->setDimensions(input, OptProfileSelector::kMAX, shapes.largest);
    std::unique_ptr<IBuilderConfig> const config(builder.createBuilderConfig());
    config->addOptimizationProfile(profile);
    std::unique_ptr<IHostMemory> plan(builder.buildSerializedNetwork(*network, *config));
    if (plan == nullptr) throw std::runtime_error(model.string() + ": no engine could be built, see above");
    return plan;
}

void save(IHostMemory const& plan, fs::path const& file) {
    writeFile(file, {static_cast<char const*>(plan.data()), plan.size()});
}

void makeFolder(fs::path const& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw std::runtime_error(folder.string() + ": cannot be made into a folder: " + error.message());
}

void build(fs::path const& detector, fs::path const& recognizer, fs::path const& plugins, fs::path const& engines) {
    Logger logger("ocr_build");
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    if (getPluginRegistry()->loadLibrary(plugins.c_str()) == nullptr)
        throw std::runtime_error(plugins.string() + ": cannot be loaded as a plugin library");
    makeFolder(engines);

    Shapes const pictures = {Dims4{1, 3, kDetectorStep, kDetectorStep}, Dims4{1, 3, 736, 1024},
                             Dims4{1, 3, kLargestDetectorSide, kLargestDetectorSide}};
    save(*buildPlan(*builder, logger, detector, pictures, appendPostProcess), engines / "det.engine");

    // The recognizer's file has its custom layer already: the parser finds the plugin in the registry.
    Shapes const texts = {Dims4{1, 3, kTextHeight, kShortestText}, Dims4{kMostTexts, 3, kTextHeight, 640},
                          Dims4{kMostTexts, 3, kTextHeight, kLongestText}};
    save(*buildPlan(*builder, logger, recognizer, texts, [](INetworkDefinition&) {}), engines / "rec.engine");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: ocr_build DETECTOR.onnx RECOGNIZER.onnx PLUGIN_LIBRARY ENGINE_FOLDER\n";
        return 2;
    }
    try {
        build(argv[1], argv[2], argv[3], argv[4]);
    } catch (std::exception const& error) {
        std::cerr << "ocr_build: " << error.what() << '\n';
        return 1;
    }
}
