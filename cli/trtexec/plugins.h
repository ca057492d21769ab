// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace trtexec {

class Log;

/// Loads the standard plugins, if installed, and --staticPlugins, for all engines of the process.
void loadStaticPlugins(SystemOptions const& options, Log& log);

/// Loads --dynamicPlugins for the builder or runtime with this registry. A Failure names the library.
void loadDynamicPlugins(SystemOptions const& options, nvinfer1::IPluginRegistry& registry);

} // namespace trtexec
