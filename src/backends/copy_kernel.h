// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon {

/// Reformats between a device and the host that keep the bytes, by the backend's copy().
Kernel const& copyKernel();

} // namespace tenon
