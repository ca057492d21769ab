// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plan/read_options.h"

#include <memory>

namespace tenon::trt {

/// Which class a user's object of the first generation has. The object does not tell.
enum class ClassV1 { IPlugin, IPluginExt };

/// The core's plugin over a user's object of the first generation, which stays the program's. Such an object has no
/// clone: clones of the answer work on it too, one at a time, and it is initialized while at least one is started.
std::unique_ptr<Plugin> adaptV1(nvinfer1::IPlugin& plugin, ClassV1 type, std::string node);

/// For an engine that a program loads: its factory makes the plugins of the first generation. Without one (null) an
/// engine that has such plugins is an Error.
PluginSource sourceOf(nvinfer1::IPluginFactory* factory);

} // namespace tenon::trt
