// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "trt/edge/edge.h"

namespace tenon::trt {

/// Warns, once for each, about other libraries of this API in the process: NVIDIA's, or a second Tenon. One cannot use
/// objects and plugins of the other, and the resulting failures do not show the cause.
void warnOfOtherLibraries(Reporter const& reporter);

} // namespace tenon::trt
