// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

namespace tenon::trt {

/// The device that engines are built for: TENON_DEVICE (cpu, cuda, cuda:N) where it is set, and then no other; else the
/// best there is. An Error for a value that is none of these.
Device wantedDevice();

} // namespace tenon::trt
