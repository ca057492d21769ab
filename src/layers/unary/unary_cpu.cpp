// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "layers/pointwise/pointwise_cpu.h"

namespace tenon::cpu {
namespace {

constexpr TileKernel kTiles{oneStep<Unary>};
constexpr TypedKernel kTyped{stepOf<Unary>};
constexpr Kernel const* kKernels[] = {&kTiles, &kTyped};

} // namespace

KernelList unaryKernels() { return {Unary::kKind, kKernels}; }

} // namespace tenon::cpu
