// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/edge/edge.h"

namespace tenon::trt {

/// Warns, once for each, of other libraries of this API in the process: NVIDIA's, or a second Tenon. Objects and
/// plugins of one are nothing to the other, which nobody would guess from what happens then.
void warnOfOtherLibraries(Reporter const& reporter);

} // namespace tenon::trt
