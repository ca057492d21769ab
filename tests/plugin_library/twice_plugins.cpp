// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists a creator with the name of one that registers automatically, for applications of either kind.

#include "one_plugin.h"

namespace {
char const* const kName = "RegisteredAndListed";
using Twice = Creator<kName>;
REGISTER_TENSORRT_PLUGIN(Twice);
} // namespace

extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreator* const*
getPluginCreators(int32_t& nbCreators) {
    static Twice creator;
    static nvinfer1::IPluginCreator* const all[]{&creator};
    nbCreators = 1;
    return all;
}
