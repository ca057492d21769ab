// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The one device, which is the host. Properties that the host does not have get the values of a small GPU of compute
// capability 8.0, so that an application that queries them continues.
#pragma once

#include <driver_types.h>

#include "status.h"

namespace hostcuda {

inline void requireDevice(int device) { require(device == 0, cudaErrorInvalidDevice); }

constexpr int kWarp = 32, kThreadsPerBlock = 1024, kThreadsPerProcessor = 2048, kBlocksPerProcessor = 32;
constexpr int kSharedMemoryPerBlock = 48 << 10;
constexpr char kPciBusId[] = "0000:00:00.0";
constexpr cudaUUID_t kUuid = {"host processor"};

// The value of an attribute; cudaErrorInvalidValue if it does not exist.
int attribute(cudaDeviceAttr attr);

} // namespace hostcuda
