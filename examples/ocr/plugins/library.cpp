// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// The symbol that IPluginRegistry::loadLibrary looks up in a plugin library: a function that lists its creators, which
// live as long as the library is loaded. A library that is linked instead of loaded would have a tenon::RegisterPlugin
// for each plugin, here; doing both would register each twice, and the registry refuses the second.
#include "ctc_greedy_decode.h"
#include "db_post_process.h"

extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const*
getCreators(int32_t& count) {
    static tenon::PluginCreators const creators({ocr::kDBPostProcess, ocr::kCTCGreedyDecode});
    return creators.list(count);
}
