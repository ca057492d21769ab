// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// What IPluginRegistry::loadLibrary looks for in a plugin library: functions that name its creators. They live as long
// as the library is loaded. A library that is linked instead of loaded would say REGISTER_TENSORRT_PLUGIN(Creator) for
// each, here; doing both would register each plugin twice, and the registry refuses the second.
#include "ctc_greedy_decode.h"
#include "db_post_process.h"
#include "gpu.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// The creators of plugins of the V3 generation.
EXPORTED nvinfer1::IPluginCreatorInterface* const* getCreators(int32_t& count) {
    static ocr::DBPostProcessCreator dbPostProcess;
    static nvinfer1::IPluginCreatorInterface* const creators[] = {&dbPostProcess};
    ocr::declareDevices(dbPostProcess, ocr::pluginDevices());
    count = 1;
    return creators;
}

// The creators of plugins of the V2 generations.
EXPORTED nvinfer1::IPluginCreator* const* getPluginCreators(int32_t& count) {
    static ocr::CTCGreedyDecodeCreator ctcGreedyDecode;
    static nvinfer1::IPluginCreator* const creators[] = {&ctcGreedyDecode};
    ocr::declareDevices(ctcGreedyDecode, ocr::pluginDevices());
    count = 1;
    return creators;
}
