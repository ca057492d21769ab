// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInferRuntime.h"

namespace tenon::trt {

/// The allocator of CPU engines: host memory. It is what plugins get that ask for the context's allocator.
nvinfer1::IGpuAllocator& hostAllocator();

} // namespace tenon::trt
