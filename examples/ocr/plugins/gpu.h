// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log.h"

#include <tenon/plugin.h>

namespace ocr {

// Where the plugins of this library run: on both kinds of devices if it was built with a CUDA toolkit, else on the CPU.
tenon::PluginDevices pluginDevices() noexcept;

// Says so for a creator's plugins. Unsaid, an engine for the CPU refuses them where this library holds code for GPUs.
template <typename Creator> void declareDevices(Creator const& creator, tenon::PluginDevices devices) noexcept {
    char const* const why = tenon::setPluginDevices(creator.getPluginName(), creator.getPluginVersion(),
                                                    creator.getPluginNamespace(), devices);
    if (why != nullptr) logError(creator.getPluginName(), why);
}

// Whether the plugin that is being called finds its data in a GPU's memory.
inline bool isOnGpu() noexcept { return tenon::currentDevice() == tenon::PluginDevices::kCUDA; }

} // namespace ocr
