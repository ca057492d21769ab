// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests of both plugins in engines of nothing else.
#include "engine.h"
#include "files.h"
#include "plugins/ctc_greedy_decode.h"
#include "plugins/db_post_process.h"
#include "plugins/gpu.h"

#include <gtest/gtest.h>

#include <functional>

namespace ocr {

// What was logged, for tests of refusals.
class Recorder final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) text += std::string(message) + '\n';
    }

    std::string text;
};

struct Range {
    nvinfer1::Dims smallest, largest;
};

using AddLayer = std::function<nvinfer1::ILayer*(nvinfer1::INetworkDefinition&, nvinfer1::ITensor&)>;

// Builds and saves an engine whose only layer stands between the input `x` and outputs of the given names.
inline std::filesystem::path saveEngine(nvinfer1::ILogger& logger, nvinfer1::Dims const& shape, Range const& range,
                                        AddLayer const& addLayer, std::vector<char const*> const& outputs) {
    std::unique_ptr<nvinfer1::IBuilder> const builder(nvinfer1::createInferBuilder(logger));
    std::unique_ptr<nvinfer1::INetworkDefinition> const network(builder->createNetworkV2(0));
    nvinfer1::ILayer* const layer = addLayer(*network, *network->addInput("x", nvinfer1::DataType::kFLOAT, shape));
    if (layer == nullptr) return {};
    for (int32_t i = 0; i < layer->getNbOutputs(); ++i) {
        layer->getOutput(i)->setName(outputs[size_t(i)]);
        network->markOutput(*layer->getOutput(i));
    }
    nvinfer1::IOptimizationProfile* const profile = builder->createOptimizationProfile();
    profile->setDimensions("x", nvinfer1::OptProfileSelector::kMIN, range.smallest);
    profile->setDimensions("x", nvinfer1::OptProfileSelector::kOPT, range.largest);
    profile->setDimensions("x", nvinfer1::OptProfileSelector::kMAX, range.largest);
    std::unique_ptr<nvinfer1::IBuilderConfig> const config(builder->createBuilderConfig());
    config->addOptimizationProfile(profile);
    std::unique_ptr<nvinfer1::IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    if (plan == nullptr) return {};
    auto const file = std::filesystem::path(testing::TempDir()) / "ocr_plugins_in_engine_test.engine";
    writeFile(file, {static_cast<char const*>(plan->data()), plan->size()});
    return file;
}

inline AddLayer addPostProcess(BoxRules const& rules = {}) {
    return [rules](nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& map) {
        DBPostProcess plugin{rules};
        nvinfer1::ITensor* inputs[] = {&map};
        return network.addPluginV3(inputs, 1, nullptr, 0, plugin);
    };
}

inline AddLayer addDecoder(CTCFields const& fields = {}) {
    return [fields](nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& probabilities) {
        CTCGreedyDecode plugin{fields};
        nvinfer1::ITensor* inputs[] = {&probabilities};
        return network.addPluginV2(inputs, 1, plugin);
    };
}

inline std::vector<int64_t> sizes(nvinfer1::Dims const& dims) { return {dims.d, dims.d + dims.nbDims}; }

using Sizes = std::vector<int64_t>;

class PluginsInEngine : public testing::Test {
protected:
    PluginsInEngine() {
        getPluginRegistry()->registerCreator(static_cast<nvinfer1::IPluginCreatorInterface&>(boxes_), "");
        getPluginRegistry()->registerCreator(static_cast<nvinfer1::IPluginCreatorInterface&>(decoder_), "");
        declareDevices(boxes_, pluginDevices());
        declareDevices(decoder_, pluginDevices());
    }

    ~PluginsInEngine() override {
        getPluginRegistry()->deregisterCreator(static_cast<nvinfer1::IPluginCreatorInterface const&>(boxes_));
        getPluginRegistry()->deregisterCreator(static_cast<nvinfer1::IPluginCreatorInterface const&>(decoder_));
    }

    Recorder logger_;
    DBPostProcessCreator boxes_;
    CTCGreedyDecodeCreator decoder_;
};

} // namespace ocr
