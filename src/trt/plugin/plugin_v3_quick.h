// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"
#include "plugin/registry.h"
#include "trt/plugin/plugin_objects.h"

#include <memory>

namespace tenon::trt {

/// Whether the core capability is IPluginV3QuickCore, as in plugins of the Python API.
bool isQuick(nvinfer1::IPluginCapability& core);

/// As adaptV3(), for such a plugin. One that builds with IPluginV3QuickAOTBuild passes its kernel to the plan.
std::unique_ptr<Plugin> adaptV3Quick(OwnedV3 plugin, std::string node, PluginPhase phase);

} // namespace tenon::trt
