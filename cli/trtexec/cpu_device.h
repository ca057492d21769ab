// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace trtexec {

/// A CPU: its memory is host memory, and its work is done when the call that asks for it returns.
std::unique_ptr<Device> makeCpuDevice();

/// Memory of the host, whatever the device is. A Failure where all that was allocated, here and by a CPU device, would
/// exceed what the machine has: a system that promises more than it has ends programs that believe it.
std::unique_ptr<DeviceMemory> allocateHost(size_t bytes);

} // namespace trtexec
