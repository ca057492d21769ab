// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"
#include "plugin/plugin.h"

namespace tenon::trt {

/// What plugins get that ask for the context's allocator: the program's, or one of memory where they run.
nvinfer1::IGpuAllocator* allocatorOf(PluginResources const& resources);

} // namespace tenon::trt
