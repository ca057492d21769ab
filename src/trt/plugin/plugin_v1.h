// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plan/read_options.h"

#include <memory>

namespace tenon::trt {

/// The class of a user's object of the first generation. The object does not report it.
enum class ClassV1 { IPlugin, IPluginExt };

/// The core's plugin over a user's object of the first generation, which the application keeps. Such an object has no
/// clone: clones of the result use it too, one at a time, and it is initialized while at least one is started.
std::unique_ptr<Plugin> adaptV1(nvinfer1::IPlugin& plugin, ClassV1 type, std::string node);

/// For an engine that an application loads: its factory creates the plugins of the first generation. Without one (null)
/// an engine with such plugins is an Error.
PluginSource sourceOf(nvinfer1::IPluginFactory* factory);

} // namespace tenon::trt
