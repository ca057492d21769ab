// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

Backend const& backend();

/// All kernel lists; written by the build from the files src/layers/*/*_cuda.cu.
std::span<KernelList const> allKernelLists();

/// What kernels ask about the device that is current in this thread; read once for each device.
cudaDeviceProp const& properties();

/// Nanoseconds of a kernel that moves this many bytes and computes this many operations at `flops` a nanosecond, for
/// cost estimates: a launch, and whichever takes longer.
double kernelCost(double bytes, double operations = 0, double flops = 30e3);

inline cudaStream_t streamOf(void* stream) { return static_cast<cudaStream_t>(stream); }

} // namespace tenon::cuda
