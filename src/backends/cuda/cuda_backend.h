// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"
#include "backends/moving_offer.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {

/// The device of this library.
inline constexpr Device kCuda{"cuda"};

Backend const& backend();

/// All kernel lists; written by the build from the files src/layers/*/*_cuda.cu.
std::span<KernelList const> allKernelLists();

/// Properties of the current device of this thread; read once for each device.
cudaDeviceProp const& properties();

/// The speed of that device.
Costs const& costs();

/// Nanoseconds of a kernel that moves this many bytes and computes this many operations at `perNs` a nanosecond, a
/// fraction of costs(); without it, at the speed of plain loops.
double kernelCost(double bytes, double operations, double perNs);
double kernelCost(double bytes, double operations = 0);

/// The offer of a kernel that moves elements on this device.
Offer offerMoving(KernelQuery const& query, Moving const& moving,
                  std::vector<Format> const& formats = {Format::linear()});

inline cudaStream_t streamOf(void* stream) { return static_cast<cudaStream_t>(stream); }

} // namespace tenon::cuda
