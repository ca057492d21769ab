// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/backend.h"
#include "backends/kernel.h"
#include "backends/moving_offer.h"

namespace tenon::cpu {

Backend const& backend();

/// All kernel lists; written by the build from the files src/layers/*/*_cpu.cpp.
std::span<KernelList const> allKernelLists();

/// The fallback for every layer: its reference, on dense row-major tensors of the layer's own types.
Kernel const& referenceKernel();

/// Bytes of copying that are worth another thread, in whose cache they are then: about 25 µs.
constexpr int64_t kCopyGrain = 1 << 20;

/// Channels of one block of the blocked format that is fastest on this CPU: a vector register of floats.
int channelBlock();

/// Nanoseconds to move this many bytes through one core, for cost estimates.
double memoryCost(double bytes);

/// The offer of a kernel that moves elements on this device.
Offer offerMoving(KernelQuery const& query, Moving const& moving,
                  std::vector<Format> const& formats = {Format::linear()});

} // namespace tenon::cpu
