// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "trt/plugin/plugin_v2.h"

#include <memory>

namespace tenon::trt {

/// A plugin that passes all calls on to the user's object, one at a time; its clones share that object. The engine
/// initializes and terminates it.
OwnedV2 shareV2(std::shared_ptr<nvinfer1::IPluginV2> object);

} // namespace tenon::trt
