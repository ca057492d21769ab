// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "layers/pointwise/pointwise_cpu.h"

namespace tenon::cpu {
namespace {

constexpr TileKernel kTiles{oneStep<Elementwise>};
constexpr TypedKernel kTyped{stepOf<Elementwise>};
constexpr Kernel const* kKernels[] = {&kTiles, &kTyped};

} // namespace

KernelList elementwiseKernels() { return {Elementwise::kKind, kKernels}; }

} // namespace tenon::cpu
