// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "plugin/plugin_layer.h"

namespace tenon {

class Engine;

/// One node as contexts run it, with its tensors by number (-1: absent or packed).
struct EngineStep {
    Assignment const* assignment;
    std::vector<int> inputs;
    std::vector<int> outputs;
    PluginLayer const* plugin;                        // null for kernels
    std::vector<SizeTensor> sizes;                    // its data-dependent extents
    std::shared_ptr<void const> packed = {};          // packed weights where the kernel reads them, or on the host
    bool onHost = false;                              // it runs on the CPU, in an engine of another device
    std::vector<std::unique_ptr<Engine>> bodies = {}; // of the graphs inside its layer

    /// The input whose memory an output shares (a plugin writes in place), or -1.
    int64_t aliasOf(size_t output) const;
};

} // namespace tenon
