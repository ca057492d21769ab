// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace trtexec {

/// A CPU: its memory is host memory, and its work is done when the call that asks for it returns.
std::unique_ptr<Device> makeCpuDevice();

/// Memory of the host, whatever the device is. A Failure where all allocations, here and by a CPU device, would exceed
/// the machine's memory: a system that overcommits would kill the program later.
std::unique_ptr<DeviceMemory> allocateHost(size_t bytes);

} // namespace trtexec
