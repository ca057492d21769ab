// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"

namespace trtexec {

/// A CPU: its memory is host memory, and its work is done when the call that asks for it returns.
std::unique_ptr<Device> makeCpuDevice();

/// Bytes of memory that the machine has; 0 where it does not tell.
size_t physicalMemory();

} // namespace trtexec
