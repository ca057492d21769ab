// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace trtexec {

/// A CPU: its memory is host memory, and all calls are synchronous.
std::unique_ptr<Device> makeCpuDevice();

/// Host memory, whatever the device is. A Failure if all allocations, here and by a CPU device, would exceed the
/// machine's memory: a system that overcommits would kill the process later.
std::unique_ptr<DeviceMemory> allocateHost(size_t bytes);

} // namespace trtexec
