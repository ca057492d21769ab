// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that compute themselves on a GPU, too. NAME.cpp has the plugin and its way on the CPU; NAME.cu the kernels,
// and the function that puts them on a stream; NAME.h what both compile: the formula, and what that function is given.
#pragma once

#include "plugin.h"

namespace tenon::plugins {

/// Whether this library has kernels: it was compiled where there is a CUDA toolkit. What a NAME.cu defines is there
/// only then, so calls of it stand behind `if constexpr (kHasKernels)`.
#ifdef TENON_PLUGINS_HAVE_KERNELS
inline constexpr bool kHasKernels = true;
#else
inline constexpr bool kHasKernels = false;
#endif

/// A plugin that has a NAME.cu.
class GpuPlugin : public PluginBase {
public:
    PluginDevices devices() const final { return kHasKernels ? PluginDevices::kBOTH : PluginDevices::kCPU; }
};

} // namespace tenon::plugins
