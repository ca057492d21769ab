// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a detector: EfficientNMS_TRT, from the library of standard plugins, selects boxes.

#include "client.h"

#include <NvInferPlugin.h>

using namespace nvinfer1;

namespace {

struct DestroyPlugin {
    void operator()(IPluginV2* plugin) const { plugin->destroy(); }
};
using Plugin = std::unique_ptr<IPluginV2, DestroyPlugin>;

Plugin makeSuppression() {
    auto* const creator = static_cast<IPluginCreator*>(getPluginRegistry()->getCreator("EfficientNMS_TRT", "1", ""));
    client::require(creator != nullptr, "the creator of EfficientNMS_TRT");
    float const scoreThreshold = 0.25F, iouThreshold = 0.5F;
    int32_t const maxOutputBoxes = 3;
    PluginField const fields[] = {{"score_threshold", &scoreThreshold, PluginFieldType::kFLOAT32, 1},
                                  {"iou_threshold", &iouThreshold, PluginFieldType::kFLOAT32, 1},
                                  {"max_output_boxes", &maxOutputBoxes, PluginFieldType::kINT32, 1}};
    PluginFieldCollection const collection{3, fields};
    return Plugin(creator->createPlugin("suppression", &collection));
}

} // namespace

int main() {
    client::Logger logger;
    client::require(initLibNvInferPlugins(&logger, ""), "the standard plugins");
    client::require(initLibNvInferPlugins(&logger, ""), "nothing else to do the second time");
    client::Definition d(logger);
    ITensor* const inputs[] = {d.network->addInput("boxes", DataType::kFLOAT, Dims3(1, 4, 4)),
                               d.network->addInput("scores", DataType::kFLOAT, Dims3(1, 4, 2))};
    ILayer* const layer = d.network->addPluginV2(inputs, 2, *makeSuppression());
    client::require(layer != nullptr, "a layer");
    char const* const names[] = {"count", "kept_boxes", "kept_scores", "kept_classes"};
    for (int32_t i = 0; i < 4; ++i) d.output(layer->getOutput(i), names[i]);
    client::Loaded const loaded(logger, *d.build());
    auto const context = loaded.context();

    client::Stream cuda;
    client::DeviceFloats boxes(16), scores(8), count(1), keptBoxes(12), keptScores(3), keptClasses(3);
    boxes.set({0, 0, 10, 10, 1, 0, 11, 10, 20, 20, 30, 30, 0, 0, 10, 10}, cuda); // the second overlaps the first
    scores.set({0.9F, 0, 0.8F, 0, 0.3F, 0.1F, 0, 0.5F}, cuda);                   // the last is of another class
    context->setTensorAddress("boxes", boxes.data());
    context->setTensorAddress("scores", scores.data());
    context->setTensorAddress("count", count.data());
    context->setTensorAddress("kept_boxes", keptBoxes.data());
    context->setTensorAddress("kept_scores", keptScores.data());
    context->setTensorAddress("kept_classes", keptClasses.data());
    client::require(context->enqueueV3(cuda), "a run");
    client::requireNear(keptScores.get(3, cuda), {0.9F, 0.5F, 0.3F});
    client::requireNear(keptBoxes.get(12, cuda), {0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30});
    std::puts("ok");
}
