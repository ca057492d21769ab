// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

/// What this library is the backend of.
inline constexpr Device kCuda{"cuda"};

Backend const& backend();

/// All kernel lists; written by the build from the files src/layers/*/*_cuda.cu.
std::span<KernelList const> allKernelLists();

/// What kernels ask about the device that is current in this thread; read once for each device.
cudaDeviceProp const& properties();

/// What that device can do.
Costs const& costs();

/// Nanoseconds of a kernel that moves this many bytes and computes this many operations at `perNs` a nanosecond, which
/// is a share of what costs() says; without it, at what plain loops reach.
double kernelCost(double bytes, double operations, double perNs);
double kernelCost(double bytes, double operations = 0);

inline cudaStream_t streamOf(void* stream) { return static_cast<cudaStream_t>(stream); }

} // namespace tenon::cuda
