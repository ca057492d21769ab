// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A library whose list of plugins is empty.
#include "NvInfer.h"

extern "C" __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const*
getCreators(int32_t& count) {
    count = 0;
    return nullptr;
}
