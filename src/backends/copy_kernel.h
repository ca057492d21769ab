// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Reformats between a device and the host whose bytes are the same, by the copies of the device's backend.
Kernel const& copyKernel();

} // namespace tenon
