// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object. What is passed in `plugin` is destroyed in the end.
std::unique_ptr<Plugin> adaptV2DynamicExt(nvinfer1::IPluginV2DynamicExt& plugin, std::string node);

} // namespace tenon::trt
