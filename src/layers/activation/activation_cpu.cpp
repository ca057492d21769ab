// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "layers/pointwise/pointwise_cpu.h"

namespace tenon::cpu {
namespace {

constexpr TileKernel kTiles{oneStep<Activation>};
constexpr TypedKernel kTyped{stepOf<Activation>};
constexpr Kernel const* kKernels[] = {&kTiles, &kTyped};

} // namespace

KernelList activationKernels() { return {Activation::kKind, kKernels}; }

} // namespace tenon::cpu
