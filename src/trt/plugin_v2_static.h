// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object of a class that knows no dynamic shapes: IPluginV2, IPluginV2Ext or
/// IPluginV2IOExt. Tensors have their batch axis, so the batch that such a plugin is told of is always 1. What is
/// passed in `plugin` is destroyed in the end.
std::unique_ptr<Plugin> adaptV2Static(nvinfer1::IPluginV2& plugin, std::string node);

} // namespace tenon::trt
