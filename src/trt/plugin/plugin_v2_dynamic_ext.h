// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"
#include "trt/plugin/plugin_objects.h"

#include <memory>

namespace tenon::trt {

/// The core's plugin over a user's object. The object in `plugin` is destroyed at the end.
std::unique_ptr<Plugin> adaptV2DynamicExt(OwnedV2 plugin, std::string node);

} // namespace tenon::trt
