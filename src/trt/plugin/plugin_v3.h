// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"
#include "plugin/registry.h"
#include "trt/plugin/plugin_objects.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object, which it takes over. An Error if a capability is missing that the phase
/// needs: all three in the build phase, core and runtime in the runtime phase, where build is not requested.
std::unique_ptr<Plugin> adaptV3(OwnedV3 plugin, std::string node, PluginPhase phase);

} // namespace tenon::trt
