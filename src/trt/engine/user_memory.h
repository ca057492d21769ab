// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntimeBase.h"
#include "runtime/context.h"

namespace tenon::trt {

/// Memory of a context from the user's allocator, which must outlive it; the device's own if it is null.
Context::MemorySource memoryFrom(nvinfer1::IGpuAllocator* allocator, Backend const& backend);

} // namespace tenon::trt
