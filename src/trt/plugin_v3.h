// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object, which it takes over. An Error where a capability is missing that the phase
/// needs: all three to be put into a network, core and runtime to run.
std::unique_ptr<Plugin> adaptV3(std::unique_ptr<nvinfer1::IPluginV3> plugin, std::string node);

} // namespace tenon::trt
