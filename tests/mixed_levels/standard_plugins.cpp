// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application written for one release of the API. It writes an engine with standard plugins to a file, which
// applications of other releases read and run, or reads and runs such a file:
//
//     standard_plugins FILE PROGRAM...
//     standard_plugins FILE
//
// The plugins: one that is a network, one that computes itself, and, from 10 on, one of the third generation, instead
// of which earlier releases use its older version.
#include "release.h"

#include <NvInferPlugin.h>

#include <fstream>
#include <iterator>

namespace {

ITensor* inputOf(INetworkDefinition& network, char const* name, std::vector<int32_t> const& extents) {
    Dims shape = Dims();
    for (int32_t const extent : extents) shape.d[shape.nbDims++] = extent;
    return network.addInput(name, DataType::kFLOAT, shape);
}

IPluginCreator& creatorOf(char const* name) {
    IPluginCreator* const creator = creatorIn(*getPluginRegistry(), "1", "", name);
    require(creator != nullptr, std::string("a creator of ") + name);
    return *creator;
}

ITensor* magnitudes(INetworkDefinition& network, ITensor* x) {
    float const slope = -1;
    return addPlugin(network, {x}, creatorOf("LReLU_TRT"), {{"negSlope", &slope, PluginFieldType::kFLOAT32, 1}});
}

/// The boxes of the three highest-scoring detections, and their scores.
std::pair<ITensor*, ITensor*> detections(INetworkDefinition& network, ITensor* boxes, ITensor* scores) {
    int32_t const classes = 2, topK = 4, keepTopK = 3;
    float const least = 0.25F, overlap = 0.5F;
    std::vector<PluginField> const fields{{"numClasses", &classes, PluginFieldType::kINT32, 1},
                                          {"topK", &topK, PluginFieldType::kINT32, 1},
                                          {"keepTopK", &keepTopK, PluginFieldType::kINT32, 1},
                                          {"scoreThreshold", &least, PluginFieldType::kFLOAT32, 1},
                                          {"iouThreshold", &overlap, PluginFieldType::kFLOAT32, 1}};
    IPluginCreator& creator = creatorOf("BatchedNMSDynamic_TRT");
    ITensor* const kept = addPlugin(network, {boxes, scores}, creator, fields, 1);
    return {kept, addPlugin(network, {boxes, scores}, creator, fields, 2)};
}

/// The values of an image at the centres of boxes.
ITensor* middles(INetworkDefinition& network, ITensor* picture, ITensor* boxes) {
    int32_t const one = 1;
    std::vector<PluginField> const fields{{"crop_width", &one, PluginFieldType::kINT32, 1},
                                          {"crop_height", &one, PluginFieldType::kINT32, 1}};
#if NV_TENSORRT_MAJOR >= 10
    return addPluginV3(network, {picture, boxes}, "CropAndResizeDynamic", "2", fields);
#else
    return addPlugin(network, {picture, boxes}, creatorOf("CropAndResizeDynamic"), fields);
#endif
}

void make(Logger& logger, char const* path) {
    IBuilder* const builder = createInferBuilder(logger);
    INetworkDefinition* const network = networkOf(*builder);
    IBuilderConfig* const config = builder->createBuilderConfig();
    ITensor* const scores = magnitudes(*network, inputOf(*network, "scores", {1, 4, 2}));
    auto const kept = detections(*network, inputOf(*network, "boxes", {1, 4, 1, 4}), scores);
    ITensor* const values = middles(*network, inputOf(*network, "picture", {1, 1, 2, 2}), kept.first);
    values->setName("values");
    network->markOutput(*values);
    kept.second->setName("kept");
    network->markOutput(*kept.second);
    IHostMemory* const file = saved(*builder, *network, *config);
    require(file != nullptr, "a saved engine");
    std::ofstream(path, std::ios::binary).write(static_cast<char const*>(file->data()), file->size());
    END(file);
    END(config);
    END(network);
    END(builder);
}

void requireSame(float const (&found)[3], float const (&expected)[3], char const* what) {
    for (int i = 0; i < 3; ++i)
        require(found[i] == expected[i], std::string(what) + "[" + std::to_string(i) + "] is " +
                                             std::to_string(found[i]) + ", expected " + std::to_string(expected[i]));
}

/// The second box overlaps the first; so does the fourth, in the other class. At (x, y) from 0 to 1 the image is x +
/// 2y.
void runAll(Logger& logger, char const* path) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<char> const file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    float boxes[16] = {0, 0, 0.5F, 0.5F, 0.0625F, 0, 0.5625F, 0.5F, 0.5F, 0.5F, 1, 1, 0, 0, 0.5F, 0.5F};
    float scores[8] = {-0.875F, 0, 0.75F, 0, -0.375F, 0.125F, 0, 0.5F};
    float picture[4] = {0, 1, 2, 3};
    float kept[3] = {}, values[3] = {};
    loadAndRun(logger, file.data(), file.size(),
               {{"boxes", boxes}, {"scores", scores}, {"picture", picture}, {"kept", kept}, {"values", values}});
    requireSame(kept, {0.875F, 0.5F, 0.375F}, "kept");
    requireSame(values, {0.75F, 0.75F, 2.25F}, "values");
}

} // namespace

int main(int argc, char** argv) {
    require(argc > 1, "the name of a file");
    Logger logger;
    require(initLibNvInferPlugins(&logger, ""), "the standard plugins");
    if (argc == 2) {
        runAll(logger, argv[1]);
        return 0;
    }
    make(logger, argv[1]);
    runAll(logger, argv[1]);
    for (int i = 2; i < argc; ++i) {
        std::string const call = std::string("'") + argv[i] + "' '" + argv[1] + "'";
        require(std::system(call.c_str()) == 0, "what it wrote, run by " + call);
    }
    std::printf("%d passed, 0 failed\n", argc - 1);
    return 0;
}
