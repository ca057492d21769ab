// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests of both plugins in engines with no other layer.
#include "engine.h"
#include "files.h"
#include "plugins/ctc_greedy_decode.h"
#include "plugins/db_post_process.h"

#include <gtest/gtest.h>

#include <functional>

namespace ocr {

// The log, for tests of refusals.
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

// Builds and saves an engine whose only layer is between the input `x` and outputs of the given names.
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

using Fields = std::vector<nvinfer1::PluginField>;

inline Fields fieldsOf(BoxRules const& rules) {
    using nvinfer1::PluginFieldType;
    return {{"thresh", &rules.threshold, PluginFieldType::kFLOAT32, 1},
            {"box_thresh", &rules.boxThreshold, PluginFieldType::kFLOAT32, 1},
            {"unclip_ratio", &rules.unclipRatio, PluginFieldType::kFLOAT32, 1},
            {"max_candidates", &rules.maxCandidates, PluginFieldType::kINT32, 1},
            {"use_dilation", &rules.useDilation, PluginFieldType::kINT32, 1}};
}

inline nvinfer1::IPluginCreatorInterface& creatorOf(tenon::PluginDefinition const& definition) {
    return *getPluginRegistry()->getCreator(definition.name, definition.version, "");
}

inline AddLayer addPostProcess(BoxRules const& rules = {}) {
    return [rules](nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& map) {
        auto& creator = static_cast<nvinfer1::IPluginCreatorV3One&>(creatorOf(kDBPostProcess));
        Fields const fields = fieldsOf(rules);
        nvinfer1::PluginFieldCollection const given{int32_t(fields.size()), fields.data()};
        std::unique_ptr<nvinfer1::IPluginV3> const plugin(
            creator.createPlugin("boxes", &given, nvinfer1::TensorRTPhase::kBUILD));
        nvinfer1::ITensor* inputs[] = {&map};
        return network.addPluginV3(inputs, 1, nullptr, 0, *plugin);
    };
}

struct DestroyPlugin {
    void operator()(nvinfer1::IPluginV2* plugin) const { plugin->destroy(); }
};
using Decoder = std::unique_ptr<nvinfer1::IPluginV2DynamicExt, DestroyPlugin>;

inline Decoder makeDecoder(int32_t blank) {
    nvinfer1::PluginField const field("blank", &blank, nvinfer1::PluginFieldType::kINT32, 1);
    nvinfer1::PluginFieldCollection const given{1, &field};
    auto& creator = static_cast<nvinfer1::IPluginCreator&>(creatorOf(kCTCGreedyDecode));
    return Decoder(static_cast<nvinfer1::IPluginV2DynamicExt*>(creator.createPlugin("decode", &given)));
}

inline AddLayer addDecoder(int32_t blank = 0) {
    return [blank](nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& probabilities) {
        nvinfer1::ITensor* inputs[] = {&probabilities};
        return network.addPluginV2(inputs, 1, *makeDecoder(blank));
    };
}

inline std::vector<int64_t> sizes(nvinfer1::Dims const& dims) { return {dims.d, dims.d + dims.nbDims}; }

using Sizes = std::vector<int64_t>;

class PluginsInEngine : public testing::Test {
protected:
    PluginsInEngine() {
        creators_.registerAt(0);
        creators_.registerAt(1);
    }

    Recorder logger_;
    tenon::PluginCreators const creators_{{kDBPostProcess, kCTCGreedyDecode}};
};

} // namespace ocr
